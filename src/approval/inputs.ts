/**
 * Reading the small inputs of the tools. Null and absent are the same; a number is floored, then clamped; a string
 * in its place is refused. Every reader throws `invalid_request` with the path it was given.
 */
import { STATUSES, type Status } from "./approval.ts";
import { ApprovalError } from "./errors.ts";

export const KEY_LENGTH = 200;
const REASON_LENGTH = 500;
const WAIT_SECONDS = 45;
const LIST_LIMIT = 20;

/** How long one call waits, in seconds: 45 unless told, from 0 to `max`. */
export function readWaitSeconds(value: unknown, max: number, path = "/waitSeconds"): number {
  return readClamped(value, path, { least: 0, most: max, otherwise: WAIT_SECONDS });
}

/** How many items a page holds: 20 unless told, from 1 to 100. */
export function readListLimit(value: unknown, path = "/limit"): number {
  return readClamped(value, path, { least: 1, most: 100, otherwise: LIST_LIMIT });
}

export function readStatusFilter(value: unknown, path = "/status"): Status | null {
  if (value === undefined || value === null) return null;
  const status = STATUSES.find((one) => one === value);
  if (status === undefined)
    throw refused(path, `status must be one of ${STATUSES.join(", ")}. Leave it out to list all.`);
  return status;
}

/** Why the requester cancels: at most 500 characters; an empty one is none. */
export function readCancelReason(value: unknown, path = "/reason"): string | null {
  if (value === undefined || value === null || value === "") return null;
  return readText(value, path, REASON_LENGTH);
}

export function readClaimKey(value: unknown, path = "/claimKey"): string | null {
  return value === undefined || value === null ? null : readText(value, path, KEY_LENGTH);
}

export function readIdempotencyKey(value: unknown, path = "/idempotencyKey"): string | null {
  return value === undefined || value === null ? null : readText(value, path, KEY_LENGTH);
}

/** A whole number between two ends: floored first, then clamped. */
export function readClamped(
  value: unknown,
  path: string,
  range: { readonly least: number; readonly most: number; readonly otherwise: number },
): number {
  if (value !== undefined && value !== null && (typeof value !== "number" || !Number.isFinite(value))) {
    throw refused(path, "This must be a number, not a string or anything else. Leave it out for the default.");
  }
  const asked = Math.floor(typeof value === "number" ? value : range.otherwise);
  // Adding 0 turns -0 into 0.
  return Math.min(Math.max(asked, range.least), range.most) + 0;
}

/**
 * A text of 1 to `most` characters (code points) that every database can keep: whole Unicode characters, no NUL.
 */
export function readText(value: unknown, path: string, most: number): string {
  if (typeof value !== "string") throw refused(path, "This must be a string.");
  // Each code point is at most two units, so a longer string needs no counting.
  if (value === "" || value.length > 2 * most || Array.from(value).length > most) {
    throw refused(
      path,
      `This must have 1 to ${most} characters. ${value === "" ? "Leave it out if there is none." : "Shorten it."}`,
    );
  }
  checkStorable(value, path);
  return value;
}

/** Refuses text that a database would refuse or change. */
export function checkStorable(text: string, path: string): void {
  if (!text.isWellFormed())
    throw refused(path, "This text holds half of a surrogate pair. Use whole Unicode characters.");
  if (text.includes("\0")) throw refused(path, "This text holds the character U+0000. Remove it.");
}

function refused(path: string, message: string): ApprovalError {
  return new ApprovalError("invalid_request", message, { path });
}
