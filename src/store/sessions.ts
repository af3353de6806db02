/** Statements on reviewers' sessions. The cookie's value is never here, only its hash. */
import type { Queryable } from "./database.ts";
import { type ReviewerRow, readReviewer, type StoredReviewer } from "./people.ts";

/** A session that nobody uses for so long has ended. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** A session ends so long after it was opened, used or not. */
export const SESSION_LIFETIME_MS = 12 * 60 * 60_000;

export interface StoredSession {
  readonly hash: string;
  readonly reviewer: StoredReviewer;
  readonly csrf: string;
  readonly usedAt: number;
  readonly expiresAt: number;
  readonly provedAt: number | null;
  readonly proof: "password" | "passkey" | null;
}

export interface NewSession {
  readonly hash: string;
  readonly person: string;
  readonly csrf: string;
  readonly proof: "password" | "passkey";
  readonly userAgent: string | null;
}

/** Opens a session that has just been proved. False: the person is disabled or no reviewer. */
export async function insertSession(
  tx: Queryable,
  workspace: string,
  session: NewSession,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO sessions (workspace, hash, person, csrf, created_at, used_at, expires_at, proved_at, proof, user_agent)
     SELECT p.workspace, $2, p.id, $4, $5, $5, $6, $5, $7, $8
     FROM people p JOIN memberships m ON m.workspace = p.workspace AND m.person = p.id
     WHERE p.workspace = $1 AND p.id = $3 AND p.disabled_at IS NULL AND m.role IN ('reviewer', 'admin')
     RETURNING hash`,
    [
      workspace,
      session.hash,
      session.person,
      session.csrf,
      now,
      now + SESSION_LIFETIME_MS,
      session.proof,
      session.userAgent,
    ],
  );
  return rows.length === 1;
}

interface SessionRow extends ReviewerRow {
  csrf: string;
  used_at: number;
  expires_at: number;
  proved_at: number | null;
  proof: "password" | "passkey" | null;
}

/** The session if it is live at `now`, with the passkeys that work at this site counted. */
export async function loadSession(
  q: Queryable,
  workspace: string,
  hash: string,
  rpId: string,
  now: number,
): Promise<StoredSession | undefined> {
  const [row] = await q.query<SessionRow>(
    `SELECT s.csrf, s.used_at, s.expires_at, s.proved_at, s.proof,
       p.id, p.name, p.enrolled_at, p.enrolled_way, p.enrolled_by, p.disabled_at,
       (SELECT COUNT(*) FROM credentials c WHERE c.workspace = p.workspace AND c.person = p.id AND c.kind = 'password') AS passwords,
       (SELECT COUNT(*) FROM credentials c WHERE c.workspace = p.workspace AND c.person = p.id AND c.kind = 'passkey' AND c.rp_id = $3) AS passkeys
     FROM sessions s
     JOIN people p ON p.workspace = s.workspace AND p.id = s.person
     JOIN memberships m ON m.workspace = p.workspace AND m.person = p.id
     WHERE s.workspace = $1 AND s.hash = $2 AND s.expires_at > $4 AND s.used_at > $5
       AND p.disabled_at IS NULL AND m.role IN ('reviewer', 'admin')`,
    [workspace, hash, rpId, now, now - SESSION_IDLE_MS],
  );
  return (
    row && {
      hash,
      reviewer: readReviewer(workspace, row),
      csrf: row.csrf,
      usedAt: row.used_at,
      expiresAt: row.expires_at,
      provedAt: row.proved_at,
      proof: row.proof,
    }
  );
}

/** Whether the session is still there and its reviewer may still decide: read inside the transaction that relies on it. */
export async function isSessionLive(
  tx: Queryable,
  workspace: string,
  hash: string,
  person: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `SELECT s.hash FROM sessions s
     JOIN people p ON p.workspace = s.workspace AND p.id = s.person
     JOIN memberships m ON m.workspace = p.workspace AND m.person = p.id
     WHERE s.workspace = $1 AND s.hash = $2 AND s.person = $3 AND s.expires_at > $4
       AND p.disabled_at IS NULL AND m.role IN ('reviewer', 'admin')`,
    [workspace, hash, person, now],
  );
  return rows.length === 1;
}

/** Notes that the session is in use, unless that was noted after `notSince`. */
export async function touchSession(
  q: Queryable,
  workspace: string,
  hash: string,
  now: number,
  notSince: number,
): Promise<void> {
  await q.query(`UPDATE sessions SET used_at = $3 WHERE workspace = $1 AND hash = $2 AND used_at <= $4`, [
    workspace,
    hash,
    now,
    notSince,
  ]);
}

/** Notes that the session has proved again who is there. */
export async function proveSession(
  q: Queryable,
  workspace: string,
  hash: string,
  proof: "password" | "passkey",
  now: number,
): Promise<void> {
  await q.query(`UPDATE sessions SET proved_at = $3, proof = $4 WHERE workspace = $1 AND hash = $2`, [
    workspace,
    hash,
    now,
    proof,
  ]);
}

export async function deleteSession(tx: Queryable, workspace: string, hash: string): Promise<void> {
  await tx.query(`DELETE FROM sessions WHERE workspace = $1 AND hash = $2`, [workspace, hash]);
}

export async function deleteSessionsOf(tx: Queryable, workspace: string, person: string): Promise<void> {
  await tx.query(`DELETE FROM sessions WHERE workspace = $1 AND person = $2`, [workspace, person]);
}

export async function dropLapsedSessions(tx: Queryable, workspace: string, now: number): Promise<void> {
  await tx.query(`DELETE FROM sessions WHERE workspace = $1 AND expires_at <= $2`, [workspace, now]);
}
