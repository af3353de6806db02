/** The one-time setup code: 75 random bits, shown as `XXXXX-XXXXX-XXXXX` in Crockford base32. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 15;

/** @param random 15 bytes from a cryptographic source; five bits of each are used. */
export function newSetupCode(random: Uint8Array): string {
  if (random.length !== LENGTH) throw new RangeError("a setup code needs 15 random bytes");
  const digits = Array.from(random, (byte) => DIGITS.charAt(byte & 31)).join("");
  return `${digits.slice(0, 5)}-${digits.slice(5, 10)}-${digits.slice(10)}`;
}

/** The code as it is hashed, from what a person typed: case, blanks and dashes do not matter, O is 0, I and L are 1. Undefined when it cannot be one. */
export function readSetupCode(typed: string): string | undefined {
  if (typed.length > 200) return undefined;
  const digits = typed
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, "")
    .replace(/O/g, "0")
    .replace(/[IL]/g, "1");
  return digits.length === LENGTH && [...digits].every((digit) => DIGITS.includes(digit)) ? digits : undefined;
}
