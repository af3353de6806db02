/** What a command prints on stdout: JSON for programs, or words for people. */

/** One JSON value on one line. What a terminal would obey or reorder is escaped, which a parser reads as the same text. */
export function printJson(value: unknown): void {
  process.stdout.write(`${safeJson(value)}\n`);
}

/** JSON text with every control, formatting and separating character as `\\uXXXX`. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

export function printWords(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Words beside a result that is to be copied from stdout whole. */
export function hint(...lines: readonly string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Columns under headings, with two spaces between; the last column is as long as it is. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const safe = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...safe.map((row) => (row[column] ?? "").length)));
  return safe.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  "),
  );
}

/** Text that came from elsewhere, for a terminal: control and reordering characters as visible escapes, on one line. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** ISO 8601 UTC to the second. */
export function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
