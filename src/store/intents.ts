/**
 * Intents: what a reviewer was about to decide. A burned or lapsed one stays for a while without answer and comment, so
 * that a second or late click is led to the decision that was made instead of to an error.
 */
import type { Decision } from "../approval/approval.ts";
import type { Intent } from "../approval/intent.ts";
import type { Queryable } from "./database.ts";

export interface StoredIntent {
  readonly id: string;
  readonly approvalId: string;
  readonly personId: string;
  readonly decision: Decision;
  /** The validated answer as JSON text; null in JSON mode, on a decline, and once the intent is burned or swept. */
  readonly answerText: string | null;
  readonly comment: string | null;
  readonly intent: Intent;
  readonly expiresAt: number;
  readonly burnedAt: number | null;
}

export async function insertIntent(
  tx: Queryable,
  workspace: string,
  sessionHash: string,
  made: Omit<StoredIntent, "burnedAt">,
  now: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO intents (workspace, id, approval, person, session, decision, answer, comment, intent, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      workspace,
      made.id,
      made.approvalId,
      made.personId,
      sessionHash,
      made.decision,
      made.answerText,
      made.comment,
      JSON.stringify(made.intent),
      now,
      made.expiresAt,
    ],
  );
}

/** Only for the session that prepared it. */
export async function loadIntent(
  q: Queryable,
  workspace: string,
  sessionHash: string,
  id: string,
): Promise<StoredIntent | undefined> {
  const [row] = await q.query<{
    id: string;
    approval: string;
    person: string;
    decision: Decision;
    answer: string | null;
    comment: string | null;
    intent: string;
    expires_at: number;
    burned_at: number | null;
  }>(
    `SELECT id, approval, person, decision, answer, comment, intent, expires_at, burned_at FROM intents
     WHERE workspace = $1 AND id = $2 AND session = $3`,
    [workspace, id, sessionHash],
  );
  return (
    row && {
      id: row.id,
      approvalId: row.approval,
      personId: row.person,
      decision: row.decision,
      answerText: row.answer,
      comment: row.comment,
      intent: JSON.parse(row.intent) as Intent,
      expiresAt: row.expires_at,
      burnedAt: row.burned_at,
    }
  );
}

/** Uses the intent up, and forgets its answer and comment. False: it was used, or its time is over; whoever asked decides nothing. */
export async function burnIntent(
  tx: Queryable,
  workspace: string,
  sessionHash: string,
  id: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE intents SET burned_at = $4, answer = NULL, comment = NULL WHERE workspace = $1 AND id = $2 AND session = $3 AND burned_at IS NULL AND expires_at > $4 RETURNING id`,
    [workspace, id, sessionHash, now],
  );
  return rows.length === 1;
}

export async function dropIntentsOfPerson(tx: Queryable, workspace: string, person: string): Promise<void> {
  await tx.query(`DELETE FROM intents WHERE workspace = $1 AND person = $2`, [workspace, person]);
}

/** Forgets the answers and comments of intents that can no longer decide. @param now Epoch milliseconds. */
export async function clearLapsedIntents(tx: Queryable, workspace: string, now: number): Promise<void> {
  await tx.query(
    `UPDATE intents SET answer = NULL, comment = NULL
     WHERE workspace = $1 AND expires_at <= $2 AND (answer IS NOT NULL OR comment IS NOT NULL)`,
    [workspace, now],
  );
}

export async function dropLapsedIntents(tx: Queryable, workspace: string, before: number): Promise<void> {
  await tx.query(`DELETE FROM intents WHERE workspace = $1 AND expires_at <= $2`, [workspace, before]);
}
