/** What verifying a proof yields: what it is worth, what it leaves behind, and what the transaction must still hold against. */
import type { Assurance } from "../approval/approval.ts";
import type { Intent } from "../approval/intent.ts";
import type { JsonValue } from "../approval/json_text.ts";
import type { Queryable } from "../store/database.ts";
import type { Proof, Session } from "./engine.ts";

export interface CheckedProof {
  readonly ok: true;
  readonly assurance: Assurance;
  /** What the decision's row keeps of it: for a passkey, all that is needed to verify the signature again. */
  readonly evidence: JsonValue;
  /** Inside the transaction: whether session, reviewer and credential are all still there. */
  stillGood(tx: Queryable): Promise<boolean>;
  /** Inside the transaction: notes the use. */
  use(tx: Queryable, now: number): Promise<void>;
}

export type VerifiedProof =
  | CheckedProof
  | { readonly ok: false; readonly reason: "missing" | "wrong" | "rate_limited" };

export interface ProofToVerify {
  readonly session: Session;
  readonly intent: Intent;
  readonly proof: Proof;
  /** The peer's address. The limit stands on the reviewer, whom only the holder of a session can wear out. */
  readonly from: string;
}

export type VerifyProof = (asked: ProofToVerify) => Promise<VerifiedProof>;
