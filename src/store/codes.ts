/** Statements on one-time codes. Each names what makes a code live: its purpose, not used, not lapsed, not tried too often. */
import type { Queryable } from "./database.ts";

/** So many wrong tries end a code. */
export const CODE_TRIES = 5;

const LIVE = `workspace = $1 AND purpose = 'setup' AND used_at IS NULL AND expires_at > $2 AND tries < ${CODE_TRIES}`;
const NOBODY = `NOT EXISTS (SELECT 1 FROM people WHERE workspace = $1)`;

/** Only while nobody is enrolled. False: somebody is. */
export async function insertSetupCode(
  tx: Queryable,
  code: {
    readonly workspace: string;
    readonly hash: string;
    readonly createdAt: number;
    readonly createdBy: string;
    readonly expiresAt: number;
  },
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO one_time_codes (workspace, hash, purpose, created_at, created_by, expires_at)
     SELECT w.id, $2, 'setup', $3, $4, $5 FROM workspaces w WHERE w.id = $1 AND ${NOBODY}
     RETURNING hash`,
    [code.workspace, code.hash, code.createdAt, code.createdBy, code.expiresAt],
  );
  return rows.length === 1;
}

export async function isSetupCodeLive(q: Queryable, workspace: string, hash: string, now: number): Promise<boolean> {
  const rows = await q.query(`SELECT hash FROM one_time_codes WHERE ${LIVE} AND hash = $3`, [workspace, now, hash]);
  return rows.length === 1;
}

/** Uses the code up, only while nobody is enrolled. False: it is not live, or somebody is. */
export async function burnSetupCode(tx: Queryable, workspace: string, hash: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE one_time_codes SET used_at = $2 WHERE ${LIVE} AND hash = $3 AND ${NOBODY} RETURNING hash`,
    [workspace, now, hash],
  );
  return rows.length === 1;
}

/** Counts a wrong try against every live setup code: it cannot be told which one was meant. */
export async function countSetupTry(tx: Queryable, workspace: string, now: number): Promise<void> {
  await tx.query(`UPDATE one_time_codes SET tries = tries + 1 WHERE ${LIVE}`, [workspace, now]);
}

/** Codes are small and few; they go a day after they ended. */
export async function dropLapsedCodes(tx: Queryable, workspace: string, before: number): Promise<void> {
  await tx.query(`DELETE FROM one_time_codes WHERE workspace = $1 AND purpose = 'setup' AND expires_at <= $2`, [
    workspace,
    before,
  ]);
}
