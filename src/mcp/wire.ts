/** The only place that knows the words of the wire: domain values and errors in, tool results out. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { CountedDecision, Standing } from "../approval/approvals.ts";
import { ApprovalError, type ErrorCode } from "../approval/errors.ts";
import type { JsonValue } from "../approval/json_text.ts";

/** Above this many bytes of UTF-8 the text part is a summary: hosts cut or drop long texts. */
export const TEXT_LIMIT_BYTES = 8 * 1024;

/** JSON source text that goes into the answer's text part as it is; only `structuredContent` gets it parsed. */
export class Verbatim {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** The members of an answer, in order; undefined ones are left out. */
export type Fields = Readonly<Record<string, JsonValue | Verbatim | undefined>>;

export function answer(fields: Fields): CallToolResult {
  const structuredContent: Record<string, unknown> = {};
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const verbatim = value instanceof Verbatim;
    structuredContent[name] = verbatim ? (JSON.parse(value.source) as unknown) : value;
    parts.push(`${JSON.stringify(name)}:${verbatim ? value.source : JSON.stringify(value)}`);
  }
  const text = `{${parts.join(",")}}`;
  const bytes = Buffer.byteLength(text);
  return {
    content: [{ type: "text", text: bytes > TEXT_LIMIT_BYTES ? summary(fields, bytes) : text }],
    structuredContent,
  };
}

/** The short members themselves, and where the long ones are. */
function summary(fields: Fields, bytes: number): string {
  const short: string[] = [];
  const long: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const text = value instanceof Verbatim ? value.source : JSON.stringify(value);
    if (text.length <= 200) short.push(`${name}: ${text}`);
    else long.push(name);
  }
  return `${short.join(", ")}. The whole answer is ${bytes} bytes of JSON, too long for text: read ${long.join(", ") || "it"} from structuredContent.`;
}

/**
 * Each code of the closed set, and whether a tool's answer may carry it. A code that belongs to pages and `/api/v1`
 * only would be our own fault here.
 */
export const TOOL_CODES = {
  invalid_request: true,
  too_large: true,
  secret_field: true,
  unsupported_schema: true,
  unsafe_number: true,
  not_supported: true,
  idempotency_conflict: true,
  unknown_policy: true,
  unknown_reviewer: true,
  not_found: true,
  pending: true,
  expired: true,
  canceled: true,
  already_decided: true,
  already_claimed: true,
  changed: true,
  forbidden: true,
  proof_required: false,
  setup_required: false,
  rate_limited: true,
  unavailable: true,
  internal: true,
} as const satisfies Record<ErrorCode, boolean>;

/** True for a fault that the caller may be told; anything else is ours, and is logged. */
export function isTellable(error: unknown): error is ApprovalError {
  return error instanceof ApprovalError && TOOL_CODES[error.code];
}

/** `isError: true` with `{error: {code, message, path?, retryAfterSeconds?}}`, and the same JSON as text. */
export function failure(error: ApprovalError): CallToolResult {
  const { code, message, path, retryAfterSeconds } = error;
  const body: { [name: string]: JsonValue } = { code, message };
  if (path !== undefined) body["path"] = path;
  if (retryAfterSeconds !== undefined) body["retryAfterSeconds"] = retryAfterSeconds;
  return { ...answer({ error: body }), isError: true };
}

/** @param id Names the entry in the server's log. */
export function internalError(id: string): ApprovalError {
  return new ApprovalError(
    "internal",
    `Something failed inside Countersign, and it is not your input. Nothing was decided. Try again once; if it stays so, give the operator this id: ${id}.`,
  );
}

/** @param at Epoch milliseconds. @returns ISO 8601 in UTC, with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** An address, not a key: whoever opens it must sign in. */
export function reviewUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/review?elicitationId=${encodeURIComponent(id)}`;
}

/** `elicitationId`, `status`, and `decision` once there is one. */
export function standingFields(standing: Pick<Standing, "id" | "status" | "decision">): {
  elicitationId: string;
  status: string;
  decision: string | undefined;
} {
  return { elicitationId: standing.id, status: standing.status, decision: standing.decision };
}

export function decisionFields(made: CountedDecision): JsonValue {
  const { reviewer, decision, at, assurance, comment } = made;
  return {
    reviewer: { id: reviewer.id, name: reviewer.name },
    decision,
    at: isoTime(at),
    assurance,
    ...(comment === null ? {} : { comment }),
  };
}
