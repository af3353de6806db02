import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isApprovalId, newApprovalId } from "../../src/approval/id.ts";

const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const chances = fc.uint8Array({ minLength: 16, maxLength: 16 });
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** The number that Crockford digits stand for. */
function value(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
}

describe("the id of an approval", () => {
  test("has 36 characters that hold the time and all 128 random bits", () => {
    fc.assert(
      fc.property(times, chances, (now, random) => {
        const id = newApprovalId(now, random);
        expect(isApprovalId(id)).toBe(true);
        expect(value(id.slice(0, 10))).toBe(BigInt(now));
        expect(value(id.slice(10))).toBe(BigInt(`0x${Buffer.from(random).toString("hex")}`));
      }),
    );
  });

  test("sorts as text by the time it was made", () => {
    fc.assert(
      fc.property(times, times, chances, chances, (a, b, x, y) => {
        fc.pre(a !== b);
        expect(newApprovalId(a, x) < newApprovalId(b, y)).toBe(a < b);
      }),
    );
  });

  test.each([
    undefined,
    null,
    7,
    "",
    "0".repeat(35),
    "0".repeat(37),
    `8${"0".repeat(35)}`,
    `${"0".repeat(10)}8${"0".repeat(25)}`,
    `${"0".repeat(35)}u`,
    `${"0".repeat(35)}A`,
    `${"0".repeat(36)}\n`,
  ])("is not %j", (x) => expect(isApprovalId(x)).toBe(false));

  test("cannot be made of a time or chance that does not fit", () => {
    for (const now of [-1, 1.5, 2 ** 48, Number.NaN])
      expect(() => newApprovalId(now, new Uint8Array(16))).toThrow(RangeError);
    expect(() => newApprovalId(0, new Uint8Array(15))).toThrow(RangeError);
  });
});
