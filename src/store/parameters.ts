/**
 * What both databases accept as parameters. Each driver forgives something else (NULL for a missing parameter, a
 * Date as text, U+FFFD for half a surrogate pair), so the check stands here, once, before either sees the values.
 */
import type { SqlValue } from "./database.ts";

/** @returns the highest `$n` in the statement. @throws Error when a lower number does not occur. */
export function countParameters(sql: string): number {
  const seen = new Set<number>();
  for (const [, digits] of sql.matchAll(/\$(\d+)/g)) seen.add(Number(digits));
  for (let n = 1; n <= seen.size; n += 1) {
    if (!seen.has(n))
      throw new Error(
        `The statement uses ${seen.size} parameters but not $${n}; number them from $1 without gaps: ${sql}`,
      );
  }
  return seen.size;
}

/**
 * @throws Error when the number of values differs, or when a value would not come back as it was sent: `undefined`, a
 * boolean, a Date, a number that is not finite or beyond 2^53 - 1, text with U+0000 (PostgreSQL has no such
 * character) or with half a surrogate pair.
 */
export function checkParameters(sql: string, count: number, params: readonly SqlValue[]): void {
  if (params.length !== count)
    throw new Error(`The statement takes ${count} parameters and was given ${params.length}: ${sql}`);
  for (let index = 0; index < count; index += 1) {
    const fault = faultOf(params[index]);
    if (fault !== undefined) throw new Error(`Parameter $${index + 1} ${fault}: ${sql}`);
  }
}

function faultOf(value: unknown): string | undefined {
  if (value === null || value instanceof Uint8Array) return undefined;
  if (typeof value === "string") {
    if (value.includes("\0")) return "holds U+0000, which PostgreSQL cannot store as text; write it as JSON";
    return value.isWellFormed() ? undefined : "holds half a surrogate pair, which has no UTF-8 form";
  }
  if (typeof value !== "number") return `is of type ${typeof value}; bind text, a number, bytes or null`;
  if (!Number.isFinite(value)) return "is not a finite number";
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : "is beyond 2^53 - 1 and would lose digits";
}
