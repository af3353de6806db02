/** A write that changes nothing: it fails where a real one would. */
import type { Queryable } from "./database.ts";

export async function rewriteWorkspace(tx: Queryable, workspace: string): Promise<void> {
  await tx.query(`UPDATE workspaces SET created_at = created_at WHERE id = $1`, [workspace]);
}
