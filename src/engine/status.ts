/** How an approval stands, for the one who asked. Reads only. */
import { type ApprovalHead, decisionOf, standingAt } from "../approval/approval.ts";
import type { Standing } from "../approval/approvals.ts";
import { ApprovalError } from "../approval/errors.ts";
import { isApprovalId } from "../approval/id.ts";
import { loadHeadOf } from "../store/approvals.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";

export async function status(deps: EngineDeps, agent: Agent, id: unknown): Promise<Standing> {
  return toStanding(await headOf(deps, agent, id), deps.now());
}

/** The approval as stored, without its bodies. Unknown, foreign and malformed ids are one answer. */
export async function headOf(deps: EngineDeps, agent: Agent, id: unknown): Promise<ApprovalHead> {
  const head = await loadHeadOf(deps.db, deps.workspace, agent.id, readId(id));
  if (head === undefined) throw notFound();
  return head;
}

export function readId(id: unknown): string {
  if (typeof id !== "string" || id === "") {
    throw new ApprovalError("invalid_request", "elicitationId is missing: pass the id that elicit_approval returned.", {
      path: "/elicitationId",
    });
  }
  if (!isApprovalId(id)) throw notFound();
  return id;
}

export function notFound(): ApprovalError {
  return new ApprovalError(
    "not_found",
    "You have no approval with this id. Check that it is the elicitationId that elicit_approval returned to you; asking again will not change this answer.",
    {
      path: "/elicitationId",
    },
  );
}

export function toStanding(approval: ApprovalHead, now: number): Standing {
  const standing = standingAt(approval, now);
  return {
    id: standing.id,
    status: standing.status,
    decision: decisionOf(standing),
    expiresAt: standing.expiresAt,
    decidedAt: "decision" in standing ? standing.closedAt : undefined,
  };
}
