/** What the operator reads and cancels on the command line: the whole workspace, recorded as `cli` and the OS user. */
import { type Approval, type ApprovalHead, type Identified, standingAt } from "../approval/approval.ts";
import type { CountedDecision } from "../approval/approvals.ts";
import { isApprovalId } from "../approval/id.ts";
import { readCancelReason, readListLimit, readStatusFilter } from "../approval/inputs.ts";
import { listAll, listAllOf } from "../store/approval_lists.ts";
import { loadApproval } from "../store/approvals.ts";
import { loadDecisions } from "../store/decisions.ts";
import { loadEvents } from "../store/events.ts";
import { cancelAs } from "./cancel.ts";
import type { EngineDeps } from "./deps.ts";
import type { ShownEvent } from "./engine.ts";
import { cliActor } from "./events.ts";
import { readCursor } from "./list.ts";
import { notFound } from "./status.ts";
import { closedBy } from "./view.ts";

export async function listWorkspace(
  deps: EngineDeps,
  query: { status?: string | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: readonly ApprovalHead[]; nextCursor: string | undefined }> {
  const status = readStatusFilter(query.status, "/status");
  const limit = readListLimit(query.limit, "/limit");
  const page = { now: deps.now(), limit: limit + 1, before: readCursor(query.cursor) };
  const found =
    status === null
      ? await listAll(deps.db, deps.workspace, page)
      : await listAllOf(deps.db, deps.workspace, status, page);
  const items = found.slice(0, limit).map((approval) => standingAt(approval, page.now));
  return { items, nextCursor: found.length > limit ? items.at(-1)?.id : undefined };
}

export interface Shown {
  readonly approval: Approval;
  readonly decisions: readonly CountedDecision[];
  readonly closedBy: Identified | null;
  readonly events: readonly ShownEvent[];
}

export async function show(deps: EngineDeps, id: string): Promise<Shown> {
  const stored = isApprovalId(id) ? await loadApproval(deps.db, deps.workspace, id) : undefined;
  if (stored === undefined) throw notFound();
  const approval = standingAt(stored, deps.now());
  const decisions = await loadDecisions(deps.db, deps.workspace, id);
  const events = await loadEvents(deps.db, deps.workspace, id);
  return {
    approval,
    decisions,
    closedBy: await closedBy(deps.db, approval, decisions),
    events: events.map(({ seq, type, at, actor, body }) => ({
      seq,
      type,
      at,
      actor: `${actor.kind} ${actor.name}`,
      body,
    })),
  };
}

export async function cancelByOperator(
  deps: EngineDeps,
  osUser: string,
  id: string,
  reason?: string,
): Promise<{ kind: "canceled" | "already_decided" | "expired"; approval: Approval }> {
  if (!isApprovalId(id)) throw notFound();
  const { kind } = await cancelAs(
    deps,
    { agent: null, actor: cliActor(osUser) },
    id,
    readCancelReason(reason, "/reason"),
  );
  const { approval } = await show(deps, id);
  return { kind, approval };
}
