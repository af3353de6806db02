/** What checking a proof yields: how much it is worth, what it leaves behind, and what the transaction must still hold against. */
import type { Assurance } from "../approval/approval.ts";
import type { Intent } from "../approval/intent.ts";
import type { JsonValue } from "../approval/json_text.ts";
import type { Queryable } from "../store/database.ts";
import type { Proof, Session } from "./engine.ts";

export interface ProofToCheck {
  readonly session: Session;
  readonly intent: Intent;
  readonly proof: Proof;
  /** The peer's address, for rate limits. */
  readonly from: string;
}

export interface CheckedProof {
  readonly ok: true;
  readonly assurance: Assurance;
  /** Enough for somebody else to check it again later. */
  readonly evidence: JsonValue;
  /** Inside the decide transaction: the person and the credential have not been disabled meanwhile. */
  stillGood(tx: Queryable): Promise<boolean>;
  /** Inside the decide transaction: notes the credential's use. */
  use(tx: Queryable, now: number): Promise<void>;
}

export interface RefusedProof {
  readonly ok: false;
  readonly reason: "missing" | "wrong" | "rate_limited";
}

export type CheckProof = (asked: ProofToCheck) => Promise<CheckedProof | RefusedProof>;
