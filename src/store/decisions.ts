/** Decisions are rows from the start, one per approval and person. */
import type { Assurance, Decision } from "../approval/approval.ts";
import type { CountedDecision } from "../approval/approvals.ts";
import type { Intent } from "../approval/intent.ts";
import type { JsonValue } from "../approval/json_text.ts";
import type { Queryable } from "./database.ts";

export interface NewDecision {
  readonly workspace: string;
  readonly approvalId: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly decision: Decision;
  readonly answerText: string | null;
  readonly comment: string | null;
  readonly assurance: Assurance;
  readonly intent: Intent;
  /** What the proof left behind, for a later check without this server. */
  readonly evidence: JsonValue;
  /** True when the person owns the agent that asked. */
  readonly byOwner: boolean;
  readonly at: number;
}

export interface StoredDecision extends CountedDecision {
  readonly answerText: string | null;
  readonly byOwner: boolean;
}

export async function insertDecision(tx: Queryable, made: NewDecision): Promise<void> {
  await tx.query(
    `INSERT INTO decisions (workspace, approval, person, person_name, decision, answer, answer_digest, comment, assurance, intent, evidence, by_owner, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      made.workspace,
      made.approvalId,
      made.person.id,
      made.person.name,
      made.decision,
      made.answerText,
      made.intent.answerDigest,
      made.comment,
      made.assurance,
      JSON.stringify(made.intent),
      JSON.stringify(made.evidence),
      made.byOwner ? 1 : 0,
      made.at,
    ],
  );
}

/** In the order they were made: the last one closed the approval. */
export async function loadDecisions(q: Queryable, workspace: string, approvalId: string): Promise<StoredDecision[]> {
  const rows = await q.query<{
    person: string;
    person_name: string;
    decision: Decision;
    answer: string | null;
    comment: string | null;
    assurance: Assurance;
    by_owner: number;
    at: number;
  }>(
    `SELECT person, person_name, decision, answer, comment, assurance, by_owner, at FROM decisions
     WHERE workspace = $1 AND approval = $2 ORDER BY at`,
    [workspace, approvalId],
  );
  return rows.map((row) => ({
    reviewer: { id: row.person, name: row.person_name },
    decision: row.decision,
    answerText: row.answer,
    comment: row.comment,
    assurance: row.assurance,
    byOwner: row.by_owner === 1,
    at: row.at,
  }));
}
