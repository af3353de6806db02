/** Reading the keywords of a JSON Schema one by one, each refusal with its path. */
import { ApprovalError, type ErrorCode } from "./errors.ts";
import { escapeKey } from "./json_text.ts";

export type SchemaObject = { readonly [keyword: string]: unknown };

const ANNOTATIONS: readonly string[] = ["$schema", "$id", "$comment", "title", "description", "examples"];

export function faulty(code: ErrorCode, path: string, message: string): ApprovalError {
  return new ApprovalError(code, message, { path });
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses every keyword that is neither an annotation nor one of those named. */
export function checkKeywords(schema: SchemaObject, allowed: readonly string[], pointer: string): void {
  for (const keyword of Object.keys(schema)) {
    if (ANNOTATIONS.includes(keyword) || allowed.includes(keyword)) continue;
    throw faulty(
      "unsupported_schema",
      `${pointer}/${escapeKey(keyword)}`,
      `This keyword is not supported here, so nothing would enforce it. Remove it; understood here: ${allowed.join(", ")} and titles and descriptions.`,
    );
  }
  for (const keyword of ["$schema", "$id", "$comment"]) readAnnotation(schema, keyword, pointer);
}

/** A text that only describes. */
export function readAnnotation(schema: SchemaObject, keyword: string, pointer: string): string | undefined {
  const value = own(schema, keyword);
  if (value === undefined || typeof value === "string") return value;
  throw faulty("invalid_request", `${pointer}/${keyword}`, `${keyword} must be a string.`);
}

/** A bound on lengths and counts. */
export function readCount(schema: SchemaObject, keyword: string, least: 0 | 1, pointer: string): number | undefined {
  const value = own(schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw faulty("invalid_request", `${pointer}/${keyword}`, `${keyword} must be a whole number of at least ${least}.`);
}

/** A bound on numbers. Whole numbers beyond 2^53 are refused: a parser may have rounded them already. */
export function readBound(schema: SchemaObject, keyword: string, pointer: string): number | undefined {
  const value = own(schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value !== "number")
    throw faulty("invalid_request", `${pointer}/${keyword}`, `${keyword} must be a number.`);
  if (!isKeptNumber(value))
    throw faulty(
      "unsafe_number",
      `${pointer}/${keyword}`,
      `${keyword} is beyond what a 64-bit float counts exactly (2^53 - 1). Use a smaller one, or ask for a string.`,
    );
  return value;
}

export function isKeptNumber(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

export function checkOrder(
  low: number | undefined,
  high: number | undefined,
  highKeyword: string,
  pointer: string,
): void {
  if (low !== undefined && high !== undefined && low > high) {
    throw faulty(
      "invalid_request",
      `${pointer}/${highKeyword}`,
      `${highKeyword} leaves no possible answer: it is below the lower bound (${low}).`,
    );
  }
}

/** A keyword's value; members of the prototype are not keywords. */
export function own(schema: SchemaObject, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}
