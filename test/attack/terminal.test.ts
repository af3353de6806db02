/** An agent's words on the operator's terminal: JSON that a terminal would obey is escaped, and is the same JSON. */
import { expect, test } from "vitest";
import { safeJson } from "../../src/cli/output.ts";

test("control, C1 and reordering characters leave as escapes, and come back as they were", () => {
  const value = { message: "\u001b[2J\u009b31m\u202egnp.exe\u2028\u{e0041}\u007f ok ü 😀" };
  const text = safeJson(value);
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(text).toContain("ok ü 😀");
  expect(JSON.parse(text)).toEqual(value);
});
