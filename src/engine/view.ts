/** A reviewer looks at an approval: what stands there now, and that they have seen it. */
import { type Approval, type Identified, standingAt } from "../approval/approval.ts";
import { ownsRequester } from "../approval/decide.ts";
import { type FormSchema, readRequestedSchema } from "../approval/form.ts";
import { isApprovalId } from "../approval/id.ts";
import { loadApproval } from "../store/approvals.ts";
import { DatabaseUnavailable, type Queryable } from "../store/database.ts";
import { loadDecisions, type StoredDecision } from "../store/decisions.ts";
import { appendEvent, hasViewed, insertView, loadCancelActor } from "../store/events.ts";
import { recentEnrolments } from "./reviewers.ts";
import type { EngineDeps } from "./deps.ts";
import type { Reviewer, Viewed } from "./engine.ts";
import { newEvent, reviewerActor } from "./events.ts";

export async function view(deps: EngineDeps, reviewer: Reviewer, approvalId: string): Promise<Viewed | undefined> {
  const viewed = await look(deps, reviewer, approvalId);
  if (viewed !== undefined) await noteView(deps, reviewer, approvalId);
  return viewed;
}

/** The same without leaving a trace: for answers to somebody who has just acted. */
export async function look(deps: EngineDeps, reviewer: Reviewer, approvalId: string): Promise<Viewed | undefined> {
  if (!isApprovalId(approvalId)) return undefined;
  const stored = await loadApproval(deps.db, deps.workspace, approvalId);
  if (stored === undefined) return undefined;
  const approval = standingAt(stored, deps.now());
  const decisions = await loadDecisions(deps.db, deps.workspace, approvalId);
  return {
    approval,
    form: formOf(approval),
    decisions,
    closedBy: await closedBy(deps.db, approval, decisions),
    viewerOwnsRequester: ownsRequester(approval, reviewer.id),
    recentEnrolments: await recentEnrolments(deps),
  };
}

/** The form as it was checked when the approval was created. */
export function formOf(approval: Approval): FormSchema | null {
  return approval.schemaText === null ? null : readRequestedSchema(JSON.parse(approval.schemaText));
}

/** Who closed it; null while it is open and for an expiry, which nobody did. */
export async function closedBy(
  q: Queryable,
  approval: Approval,
  decisions: readonly StoredDecision[],
): Promise<Identified | null> {
  switch (approval.status) {
    case "pending":
    case "expired":
      return null;
    case "canceled": {
      const actor = await loadCancelActor(q, approval.workspace, approval.id);
      return actor === undefined ? null : { id: actor.id, name: actor.name };
    }
    default:
      return decisions.at(-1)?.reviewer ?? null;
  }
}

async function noteView(deps: EngineDeps, reviewer: Reviewer, approvalId: string): Promise<void> {
  // Asked outside a transaction first: nearly every look is a repeated one, and needs no write.
  if (await hasViewed(deps.db, deps.workspace, approvalId, reviewer.id)) return;
  const at = deps.now();
  const event = newEvent(deps, { stream: approvalId, type: "viewed", actor: reviewerActor(reviewer), at });
  try {
    await deps.db.transaction(async (tx) => {
      if (await insertView(tx, deps.workspace, approvalId, reviewer.id, at)) await appendEvent(tx, event);
    });
  } catch (error) {
    // A store that cannot be written must not keep a person from reading; nothing is decided by reading.
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}
