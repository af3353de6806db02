/** Numbers as text: whether JavaScript keeps what they say. */

/**
 * Whether a JSON number keeps its decimal value when JavaScript reads and prints it: `0.1`, `1.0` and `-0` do,
 * `9007199254740993` and `1e400` do not.
 *
 * @param source A number by the grammar of RFC 8259.
 */
export function isExactNumber(source: string): boolean {
  if (source.length < 16 && /^-?[0-9]+$/.test(source)) return true;
  const read = Number(source);
  const printed = String(read);
  return printed === source || (Number.isFinite(read) && decimal(source) === decimal(printed));
}

/**
 * A number's decimal value in one spelling: sign, digits without zeros at either end, power of ten. An exponent of
 * more digits than a double counts exactly becomes a spelling that no printed number has.
 */
function decimal(source: string): string {
  const negative = source.startsWith("-");
  const [mantissa = "", exponent = "0"] = source
    .slice(negative ? 1 : 0)
    .toLowerCase()
    .split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === "0") first += 1;
  if (first === digits.length) return "0";
  let last = digits.length;
  while (digits[last - 1] === "0") last -= 1;
  const power = Number(exponent) - fraction.length + (digits.length - last);
  return `${negative ? "-" : ""}${digits.slice(first, last)}e${Number.isSafeInteger(power) ? power : "?"}`;
}
