import { expect, test } from "vitest";
import { tellUnavailable } from "../../src/engine/unavailable.ts";
import { CommitUncertain, DatabaseUnavailable } from "../../src/store/database.ts";

async function told(error: unknown): Promise<unknown> {
  return tellUnavailable({ verb: () => Promise.reject(error) })
    .verb()
    .catch((thrown: unknown) => thrown);
}

test("a store that cannot be written is told as unavailable, and whether something may have been kept is told truly", async () => {
  expect(await told(new DatabaseUnavailable("full"))).toMatchObject({
    code: "unavailable",
    retryAfterSeconds: 2,
    message: expect.stringContaining("Nothing was changed"),
  });
  const uncertain = await told(new CommitUncertain("lost"));
  expect(uncertain).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("may or may not have been made"),
  });
  expect(String(uncertain)).not.toContain("Nothing was changed");
});

test("any other failure passes through as it is", async () => {
  const fault = new TypeError("ours");
  expect(await told(fault)).toBe(fault);
});
