/**
 * The id of an approval: 48 bits of milliseconds, then 128 random bits, in Crockford base32 (lower case).
 *
 * Ids sort by the time they were made. An id is an address and no key: knowing it lets nobody decide.
 */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 26;
// 48 bits in 10 digits and 128 in 26 leave two bits over: the first digit of each part is 0 to 7.
const ID = /^[0-7][0-9a-hjkmnp-tv-z]{9}[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * @param now Epoch milliseconds, a whole number below 2^48.
 * @param random 16 bytes from a cryptographic source.
 * @returns 36 characters.
 */
export function newApprovalId(now: number, random: Uint8Array): string {
  if (!Number.isInteger(now) || now < 0 || now >= 2 ** 48)
    throw new RangeError("an approval's time must be whole milliseconds below 2^48");
  if (random.length !== 16) throw new RangeError("an approval's id needs 16 random bytes");
  const bits = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return base32(BigInt(now), TIME_DIGITS) + base32(bits, RANDOM_DIGITS);
}

export function isApprovalId(x: unknown): x is string {
  return typeof x === "string" && ID.test(x);
}

function base32(bits: bigint, length: number): string {
  let text = "";
  for (let rest = bits; text.length < length; rest >>= 5n) text = DIGITS.charAt(Number(rest & 31n)) + text;
  return text;
}
