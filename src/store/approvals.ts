/**
 * Statements on approvals. Each change names the state it leaves behind and the deadline in its WHERE, so that of
 * two that race exactly one gets a row back. Nothing here reads first and writes after.
 */
import type { Approval, ApprovalHead, Decision, PendingApproval } from "../approval/approval.ts";
import { LISTED, type ListedRow, readHead, readWhole, WHOLE, type WholeRow } from "./approval_row.ts";
import type { Queryable } from "./database.ts";

/** @returns false when the requester already has an approval under this idempotency key; nothing was written. */
export async function insertApproval(
  tx: Queryable,
  approval: PendingApproval,
  lifetimeSeconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO approvals (workspace, id, kind, agent, requester, message, context, context_digest, requested_schema, labels,
       display_template, request_digest, policy, policy_digest, needed, idempotency_key, lifetime_seconds, status, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'pending', $18, $19)
     ON CONFLICT (workspace, agent, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
     RETURNING id`,
    [
      approval.workspace,
      approval.id,
      approval.kind,
      approval.requester.agent.id,
      JSON.stringify(approval.requester),
      approval.message,
      approval.contextText,
      approval.contextDigest,
      approval.schemaText,
      JSON.stringify(approval.labels),
      approval.displayTemplate,
      approval.requestDigest,
      JSON.stringify(approval.policy),
      approval.policyDigest,
      approval.policy.needed,
      approval.idempotencyKey,
      lifetimeSeconds,
      approval.createdAt,
      approval.expiresAt,
    ],
  );
  return rows.length === 1;
}

export async function loadApproval(q: Queryable, workspace: string, id: string): Promise<Approval | undefined> {
  const [row] = await q.query<WholeRow>(`SELECT ${WHOLE} FROM approvals WHERE workspace = $1 AND id = $2`, [
    workspace,
    id,
  ]);
  return row && readWhole(row);
}

/** Only if `agent` asked for it: another's is as unknown as one that never was. */
export async function loadApprovalOf(
  q: Queryable,
  workspace: string,
  agent: string,
  id: string,
): Promise<Approval | undefined> {
  const [row] = await q.query<WholeRow>(
    `SELECT ${WHOLE} FROM approvals WHERE workspace = $1 AND id = $2 AND agent = $3`,
    [workspace, id, agent],
  );
  return row && readWhole(row);
}

/** As {@link loadApprovalOf} without the bodies: what status and wait read, many times a second. */
export async function loadHeadOf(
  q: Queryable,
  workspace: string,
  agent: string,
  id: string,
): Promise<ApprovalHead | undefined> {
  const [row] = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND id = $2 AND agent = $3`,
    [workspace, id, agent],
  );
  return row && readHead(row);
}

export async function loadByKey(
  q: Queryable,
  workspace: string,
  agent: string,
  key: string,
): Promise<{ approval: ApprovalHead; lifetimeSeconds: number } | undefined> {
  const [row] = await q.query<ListedRow & { lifetime_seconds: number }>(
    `SELECT ${LISTED}, lifetime_seconds FROM approvals WHERE workspace = $1 AND agent = $2 AND idempotency_key = $3`,
    [workspace, agent, key],
  );
  return row && { approval: readHead(row), lifetimeSeconds: row.lifetime_seconds };
}

/** The one write that decides. Undefined: it was closed, out of time, or another request than the one shown. */
export async function closeDecided(
  tx: Queryable,
  at: { workspace: string; id: string; requestDigest: string; decision: Decision; now: number },
): Promise<Approval | undefined> {
  const [row] = await tx.query<WholeRow>(
    `UPDATE approvals SET status = $3, decision = $3, closed_at = $4
     WHERE workspace = $1 AND id = $2 AND status = 'pending' AND expires_at > $4 AND request_digest = $5
     RETURNING ${WHOLE}`,
    [at.workspace, at.id, at.decision, at.now, at.requestDigest],
  );
  return row && readWhole(row);
}

/** @param agent The requester it must belong to; null for the operator. */
export async function closeCanceled(
  tx: Queryable,
  at: { workspace: string; id: string; agent: string | null; reason: string | null; now: number },
): Promise<Approval | undefined> {
  const [row] = await tx.query<WholeRow>(
    `UPDATE approvals SET status = 'canceled', closed_at = $3, cancel_reason = $4
     WHERE workspace = $1 AND id = $2 AND status = 'pending' AND expires_at > $3 AND agent = COALESCE($5, agent)
     RETURNING ${WHOLE}`,
    [at.workspace, at.id, at.now, at.reason, at.agent],
  );
  return row && readWhole(row);
}

/** Writes down an expiry that is already true. Undefined when it is not due, or was written before. */
export async function closeExpired(
  tx: Queryable,
  workspace: string,
  id: string,
  now: number,
): Promise<Approval | undefined> {
  const [row] = await tx.query<WholeRow>(
    `UPDATE approvals SET status = 'expired', closed_at = expires_at
     WHERE workspace = $1 AND id = $2 AND status = 'pending' AND expires_at <= $3
     RETURNING ${WHOLE}`,
    [workspace, id, now],
  );
  return row && readWhole(row);
}

export async function listDue(
  q: Queryable,
  workspace: string,
  now: number,
  limit: number,
): Promise<{ id: string; expiresAt: number }[]> {
  const rows = await q.query<{ id: string; expires_at: number }>(
    `SELECT id, expires_at FROM approvals WHERE workspace = $1 AND status = 'pending' AND expires_at <= $2 ORDER BY expires_at LIMIT $3`,
    [workspace, now, limit],
  );
  return rows.map((row) => ({ id: row.id, expiresAt: row.expires_at }));
}

/** Notes the first reading of a decision. False when it was noted before. */
export async function markConsumed(tx: Queryable, workspace: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE approvals SET status = 'consumed', consumed_at = $3
     WHERE workspace = $1 AND id = $2 AND status IN ('submitted', 'declined') RETURNING id`,
    [workspace, id, now],
  );
  return rows.length === 1;
}

/** The first key to come takes the claim. False when some key has it already. */
export async function takeClaim(tx: Queryable, workspace: string, id: string, key: string): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE approvals SET claim_key = $3 WHERE workspace = $1 AND id = $2 AND decision = 'submitted' AND claim_key IS NULL RETURNING id`,
    [workspace, id, key],
  );
  return rows.length === 1;
}

export async function loadClaim(q: Queryable, workspace: string, id: string): Promise<string | null> {
  const [row] = await q.query<{ claim_key: string | null }>(
    `SELECT claim_key FROM approvals WHERE workspace = $1 AND id = $2`,
    [workspace, id],
  );
  return row?.claim_key ?? null;
}

/** Which of these ids are closed. */
export async function closedAmong(q: Queryable, workspace: string, ids: readonly string[]): Promise<string[]> {
  const closed: string[] = [];
  for (let start = 0; start < ids.length; start += POLL_CHUNK) {
    const chunk = ids.slice(start, start + POLL_CHUNK);
    // Always the same number of parameters, so that one prepared statement serves: the last id fills the rest.
    while (chunk.length < POLL_CHUNK) chunk.push(chunk.at(-1) ?? "");
    const rows = await q.query<{ id: string }>(CLOSED_AMONG, [workspace, ...chunk]);
    closed.push(...rows.map((row) => row.id));
  }
  return closed;
}

const POLL_CHUNK = 100;
/** CROSS JOIN, because SQLite then looks up each id; for `id IN (…)` it guesses that reading the whole workspace is cheaper. */
const CLOSED_AMONG = `WITH asked (id) AS (VALUES ${Array.from({ length: POLL_CHUNK }, (_, index) => `($${index + 2})`).join(", ")})
  SELECT DISTINCT a.id FROM asked CROSS JOIN approvals a WHERE a.workspace = $1 AND a.id = asked.id AND a.status <> 'pending'`;
