/** Writing down expiries. They are true by the clock alone; the event is written once, by the tick or the next write. */
import type { Approval } from "../approval/approval.ts";
import { closeExpired, listDue } from "../store/approvals.ts";
import type { Queryable } from "../store/database.ts";
import { appendEvent } from "../store/events.ts";
import type { EngineDeps } from "./deps.ts";
import { newEvent, SYSTEM_ACTOR } from "./events.ts";
import { announce, noteClosing } from "./close.ts";

const BATCH = 200;

/** Inside a transaction: the expiry of one approval, if it is due and not yet written. */
export async function expireOne(
  deps: EngineDeps,
  tx: Queryable,
  approval: Pick<Approval, "id" | "expiresAt">,
  now: number,
): Promise<boolean> {
  const event = newEvent(deps, { stream: approval.id, type: "expired", actor: SYSTEM_ACTOR, at: approval.expiresAt });
  const closed = await closeExpired(tx, deps.workspace, approval.id, now);
  if (closed === undefined) return false;
  await appendEvent(tx, event);
  await noteClosing(deps, tx, approval.id);
  return true;
}

/** Every due expiry of the workspace, one short transaction each, so that no decision waits behind a long one. */
export async function expireDue(deps: EngineDeps): Promise<void> {
  for (;;) {
    const now = deps.now();
    const due = await listDue(deps.db, deps.workspace, now, BATCH);
    for (const { id, expiresAt } of due) {
      const written = await deps.db.transaction((tx) => expireOne(deps, tx, { id, expiresAt }, now));
      if (written) announce(deps, id);
    }
    if (due.length < BATCH) return;
  }
}
