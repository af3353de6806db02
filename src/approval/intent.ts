/**
 * The intent: exactly what a reviewer's proof signs, and nothing a caller can change between reading and deciding.
 *
 * A passkey signs SHA-256 over the domain-separated, versioned intent (`countersign/decision/v1`), so an assertion
 * is worth this one decision, by this person, on this request and this answer, at this origin.
 */
import type { Decision } from "./approval.ts";
import { digestBytes } from "./canonical.ts";

export interface Intent {
  readonly v: 1;
  readonly workspace: string;
  readonly approvalId: string;
  readonly reviewerId: string;
  readonly decision: Decision;
  readonly requestDigest: string;
  /** Digest of the answer, of JSON null when there is none. */
  readonly answerDigest: string;
  /** Digest of the reviewer's comment, of JSON null when there is none. */
  readonly commentDigest: string;
  /** Digest of the frozen rendering; null while the payload is shown as JSON. */
  readonly renderingDigest: string | null;
  readonly policyDigest: string;
  /** The public origin the decision is made at. */
  readonly origin: string;
  /** 256 random bits, base64url; burned by the decision. */
  readonly nonce: string;
  readonly expiresAt: number;
}

/** Five minutes: long enough to touch a key, short enough that a forgotten page decides nothing. */
export const INTENT_LIFETIME_MS = 5 * 60_000;

/** The 32 bytes that a passkey signs for this intent. */
export function intentChallenge(intent: Intent): Uint8Array<ArrayBuffer> {
  return digestBytes("decision", { ...intent });
}
