/** A write that leaves nothing behind, and fails where a real one would. */
import type { Queryable } from "./database.ts";

/** Adds a row and takes it away again: an UPDATE to the same value would not reach the disk on SQLite. */
export async function tryWriting(tx: Queryable, workspace: string, now: number): Promise<void> {
  await tx.query(
    `INSERT INTO outbox (workspace, id, approval, type, created_at) VALUES ($1, 'probe', '', 'probe', $2)
     ON CONFLICT (workspace, id) DO NOTHING`,
    [workspace, now],
  );
  await tx.query(`DELETE FROM outbox WHERE workspace = $1 AND id = 'probe'`, [workspace]);
}
