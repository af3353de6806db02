/** The outcome, for the one who asked: repeatable, noted once, claimed once. */
import { type Approval, decisionOf, standingAt, weakest } from "../approval/approval.ts";
import type { Result } from "../approval/approvals.ts";
import { readClaimKey } from "../approval/inputs.ts";
import { loadApprovalOf, loadClaim, markConsumed, takeClaim } from "../store/approvals.ts";
import { loadDecisions } from "../store/decisions.ts";
import { appendEvent } from "../store/events.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { agentActor, newEvent } from "./events.ts";
import { notFound, readId } from "./status.ts";

export async function result(
  deps: EngineDeps,
  agent: Agent,
  id: unknown,
  options: { claimKey?: unknown } = {},
): Promise<Result> {
  const claimKey = readClaimKey(options.claimKey, "/claimKey");
  const now = deps.now();
  const found = await loadApprovalOf(deps.db, deps.workspace, agent.id, readId(id));
  if (found === undefined) throw notFound();
  const approval = standingAt(found, now);
  switch (approval.status) {
    case "pending":
      return { kind: "pending", expiresAt: approval.expiresAt };
    case "expired":
      return { kind: "expired", at: approval.expiresAt };
    case "canceled":
      return { kind: "canceled", at: approval.closedAt };
    default:
      return readDecided(deps, agent, approval, claimKey, now);
  }
}

async function readDecided(
  deps: EngineDeps,
  agent: Agent,
  approval: Approval & { status: "submitted" | "declined" | "consumed" },
  claimKey: string | null,
  now: number,
): Promise<Result> {
  const decision = approval.decision;
  if (approval.status !== "consumed") await noteReading(deps, agent, approval, now);
  let claimed = false;
  if (claimKey !== null && decision === "submitted") {
    if (!(await claim(deps, agent, approval.id, claimKey, now))) return { kind: "already_claimed" };
    claimed = true;
  }
  const decisions = await loadDecisions(deps.db, deps.workspace, approval.id);
  const closing = decisions.at(-1);
  if (closing === undefined) throw new Error(`approval ${approval.id} is ${approval.status} without a decision row`);
  return {
    kind: "decided",
    id: approval.id,
    decision,
    contextText: approval.contextText,
    contextDigest: approval.contextDigest,
    answerText: closing.answerText,
    decisions: decisions.map(({ reviewer, decision: each, at, assurance, comment }) => ({
      reviewer,
      decision: each,
      at,
      assurance,
      comment,
    })),
    decidedBy: closing.reviewer,
    decidedAt: closing.at,
    assurance: weakest(decisions.map((made) => made.assurance)) ?? closing.assurance,
    ...(claimed ? { claimed } : {}),
  };
}

async function noteReading(deps: EngineDeps, agent: Agent, approval: Approval, now: number): Promise<void> {
  const event = newEvent(deps, {
    stream: approval.id,
    type: "result_read",
    actor: agentActor(agent),
    at: now,
    body: { decision: decisionOf(approval) ?? null },
  });
  await deps.db.transaction(async (tx) => {
    if (await markConsumed(tx, deps.workspace, approval.id, now)) await appendEvent(tx, event);
  });
}

/** True for the key that came first, however often it comes again. */
async function claim(deps: EngineDeps, agent: Agent, id: string, claimKey: string, now: number): Promise<boolean> {
  // A claim never changes hands, so a repeated call needs no write, and is answered while the store cannot be written.
  const holder = await loadClaim(deps.db, deps.workspace, id);
  if (holder !== null) return holder === claimKey;
  const event = newEvent(deps, { stream: id, type: "claimed", actor: agentActor(agent), at: now, body: { claimKey } });
  return deps.db.transaction(async (tx) => {
    if (await takeClaim(tx, deps.workspace, id, claimKey)) {
      await appendEvent(tx, event);
      return true;
    }
    return (await loadClaim(tx, deps.workspace, id)) === claimKey;
  });
}
