import { expect, test } from "vitest";
import { listReviewers, addReviewer } from "../../src/engine/reviewers.ts";
import { setUpWithPassword } from "../../src/engine/setup.ts";
import { makeSetupCode } from "../../src/engine/setup_code.ts";
import { beginPasskeySetup } from "../../src/engine/setup_passkey.ts";
import { openDatabase } from "../../src/store/open.ts";
import { FROM, identityDeps, PASSWORD } from "../support/identity.ts";

const BAD_NAMES = ["", "   ", "An\u202Ena", "A\u200Bnna", "x".repeat(81), "line\nbreak", "\ud800"];

test("[BR 175] every way of becoming a reviewer refuses the same names and the same passwords", async () => {
  await using db = await openDatabase({ kind: "sqlite", path: ":memory:" });
  const deps = identityDeps(db);
  const { code } = await makeSetupCode(deps, "olga");
  for (const name of BAD_NAMES) {
    await expect(addReviewer(deps, "olga", { name, password: PASSWORD }), JSON.stringify(name)).rejects.toMatchObject({
      code: "invalid_request",
    });
    deps.clock.jump(60_000); // Tries are limited; this is not what is tested here.
    const fresh = (await makeSetupCode(deps, "olga")).code;
    expect(
      await setUpWithPassword(deps, { code: fresh, name, password: PASSWORD, from: FROM }),
      JSON.stringify(name),
    ).toMatchObject({ kind: "invalid" });
    expect(await beginPasskeySetup(deps, { code: fresh, name, from: FROM }), JSON.stringify(name)).toMatchObject({
      kind: "invalid",
    });
  }
  for (const password of ["", "short", "x".repeat(1_025)]) {
    await expect(addReviewer(deps, "olga", { name: "Anna", password })).rejects.toMatchObject({
      code: "invalid_request",
    });
    deps.clock.jump(60_000);
    const fresh = (await makeSetupCode(deps, "olga")).code;
    expect(await setUpWithPassword(deps, { code: fresh, name: "Anna", password, from: FROM })).toMatchObject({
      kind: "invalid",
    });
  }
  expect(code).toMatch(/-/);
  expect(await listReviewers(deps)).toEqual([]);
});
