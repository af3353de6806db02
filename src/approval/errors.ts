/**
 * The one error class of the product: a fault of the caller, told in words that say what to change.
 *
 * What a person or an agent may rightly meet (an approval already closed, still pending, expired) is a
 * value, not an error. Anything else that is thrown is our own fault and is shown as `internal`.
 */

/** Every error code that can reach the wire. The set is closed: a client may switch over it. */
export const ERROR_CODES = [
  "invalid_request",
  "too_large",
  "secret_field",
  "unsupported_schema",
  "unsafe_number",
  "not_supported",
  "idempotency_conflict",
  "unknown_policy",
  "unknown_reviewer",
  "not_found",
  "pending",
  "expired",
  "canceled",
  "already_decided",
  "already_claimed",
  "changed",
  "forbidden",
  "proof_required",
  "setup_required",
  "rate_limited",
  "unavailable",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ApprovalErrorOptions {
  /** RFC 6901 pointer from the tool's arguments, for example `/context/amount`. */
  readonly path?: string;
  /** How long to wait before the same call can succeed. */
  readonly retryAfterSeconds?: number;
  /** What went wrong underneath, for the log; never shown. */
  readonly cause?: unknown;
}

export class ApprovalError extends Error {
  override readonly name = "ApprovalError";
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  /** @param message One or two sentences for a model or a person: what is wrong and what to change. Holds no secret and no form value. */
  constructor(code: ErrorCode, message: string, options: ApprovalErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options.path;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
