/** Telling that an approval has closed: other nodes inside the transaction, this process after the commit. */
import type { Queryable } from "../store/database.ts";
import { CLOSED_CHANNEL } from "./closings.ts";
import type { EngineDeps } from "./deps.ts";

/** Inside the transaction: delivered to the other nodes when it commits. Nothing to do where one process owns the database. */
export async function noteClosing(deps: EngineDeps, tx: Queryable, approvalId: string): Promise<void> {
  await deps.db.notify?.(tx, CLOSED_CHANNEL, approvalId);
}

/** After the commit: wakes who waits in this process, then tells the listeners. */
export function announce(deps: EngineDeps, approvalId: string): void {
  deps.waiters.wake(approvalId);
  deps.closings.tell(approvalId);
}
