/** The requester takes a question back. */
import { isPending, standingAt } from "../approval/approval.ts";
import type { Canceled } from "../approval/approvals.ts";
import type { Actor } from "../approval/event.ts";
import { readCancelReason } from "../approval/inputs.ts";
import { closeCanceled, loadApproval, loadApprovalOf } from "../store/approvals.ts";
import { loadDecisions } from "../store/decisions.ts";
import { appendEvent } from "../store/events.ts";
import { announce, noteClosing } from "./close.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { agentActor, newEvent } from "./events.ts";
import { expireOne } from "./expire.ts";
import { notFound, readId, toStanding } from "./status.ts";

export async function cancel(
  deps: EngineDeps,
  agent: Agent,
  id: unknown,
  options: { reason?: unknown } = {},
): Promise<Canceled> {
  return cancelAs(
    deps,
    { agent: agent.id, actor: agentActor(agent) },
    readId(id),
    readCancelReason(options.reason, "/reason"),
  );
}

/** @param by `agent`: whose approval it must be; null for the operator, who may cancel any. */
export async function cancelAs(
  deps: EngineDeps,
  by: { agent: string | null; actor: Actor },
  id: string,
  reason: string | null,
): Promise<Canceled> {
  const now = deps.now();
  const event = newEvent(deps, { stream: id, type: "canceled", actor: by.actor, at: now, body: { reason } });
  const { stored, decisions, closedNow } = await deps.db.transaction(async (tx) => {
    const canceled = await closeCanceled(tx, { workspace: deps.workspace, id, agent: by.agent, reason, now });
    if (canceled !== undefined) {
      await appendEvent(tx, event);
      await noteClosing(deps, tx, id);
      return { stored: canceled, decisions: [], closedNow: true };
    }
    const found =
      by.agent === null
        ? await loadApproval(tx, deps.workspace, id)
        : await loadApprovalOf(tx, deps.workspace, by.agent, id);
    if (found === undefined) return { stored: undefined, decisions: [], closedNow: false };
    const closedNow = isPending(found) && (await expireOne(deps, tx, found, now));
    return { stored: standingAt(found, now), decisions: await loadDecisions(tx, deps.workspace, id), closedNow };
  });
  if (stored === undefined) throw notFound();
  if (closedNow) announce(deps, id);
  const standing = toStanding(stored, now);
  if (stored.status === "canceled") return { kind: "canceled", standing };
  if (stored.status === "expired") return { kind: "expired", standing };
  return { kind: "already_decided", standing, by: decisions.at(-1)?.reviewer };
}
