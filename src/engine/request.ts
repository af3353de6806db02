/** A requester asks: the approval and its `created` event are stored in one transaction, or nothing is. */
import type { Approval, ApprovalHead, Requester } from "../approval/approval.ts";
import { decisionOf, standingAt } from "../approval/approval.ts";
import type { ApprovalInput, Requested, RequestOptions } from "../approval/approvals.ts";
import { ApprovalError } from "../approval/errors.ts";
import { newApprovalId } from "../approval/id.ts";
import type { JsonValue } from "../approval/json_text.ts";
import { newApproval, readRequest, type ValidRequest } from "../approval/request.ts";
import { insertApproval, loadByKey } from "../store/approvals.ts";
import type { Queryable } from "../store/database.ts";
import { appendEvent } from "../store/events.ts";
import { anyReviewer } from "../store/people.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { agentActor, newEvent } from "./events.ts";

export async function request(
  deps: EngineDeps,
  agent: Agent,
  input: ApprovalInput,
  options: RequestOptions = {},
): Promise<Requested> {
  const valid = readRequest(input, deps.limits);
  const now = deps.now();
  const approval = newApproval(valid, {
    workspace: deps.workspace,
    id: newApprovalId(now, deps.randomBytes(16)),
    now,
    requester: requesterOf(agent, options),
    policy: deps.policy,
  });
  const created = newEvent(deps, {
    stream: approval.id,
    type: "created",
    actor: agentActor(agent),
    at: now,
    body: createdBody(approval),
  });
  const outcome = await deps.db.transaction(async (tx) => {
    const reviewable = await anyReviewer(tx, deps.workspace);
    if (await insertApproval(tx, approval, valid.lifetimeSeconds)) {
      await appendEvent(tx, created);
      return { stored: approval, repeated: false, reviewable };
    }
    return { stored: await earlier(tx, deps.workspace, agent.id, valid), repeated: true, reviewable };
  });
  const stored: ApprovalHead = standingAt(outcome.stored, now);
  return {
    id: stored.id,
    status: stored.status,
    decision: decisionOf(stored),
    expiresAt: stored.expiresAt,
    contextDigest: stored.contextDigest,
    repeated: outcome.repeated,
    ignored: valid.ignored,
    reviewable: outcome.reviewable,
  };
}

function requesterOf(agent: Agent, options: RequestOptions): Requester {
  return { agent: { id: agent.id, name: agent.name }, owner: agent.owner, client: options.client ?? null };
}

/** Everything the reviewer is shown, by digest where it can be large, so that the trail says what was asked after the bodies are gone. */
function createdBody(approval: Approval): JsonValue {
  const { owner, client } = approval.requester;
  return {
    requestDigest: approval.requestDigest,
    contextDigest: approval.contextDigest,
    policyDigest: approval.policyDigest,
    expiresAt: approval.expiresAt,
    owner: owner?.id ?? null,
    client: client === null ? null : { name: client.name, version: client.version },
  };
}

/** The approval that this requester already has under the key, if it is for the same input. */
async function earlier(tx: Queryable, workspace: string, agent: string, valid: ValidRequest): Promise<ApprovalHead> {
  const found = valid.idempotencyKey === null ? undefined : await loadByKey(tx, workspace, agent, valid.idempotencyKey);
  if (found === undefined) throw new Error("an insert was refused, and no approval has its idempotency key");
  if (found.approval.requestDigest !== valid.requestDigest || found.lifetimeSeconds !== valid.lifetimeSeconds) {
    throw new ApprovalError(
      "idempotency_conflict",
      `This idempotencyKey already belongs to your approval ${found.approval.id}, which asks something else. Use a new key for a new question, or send exactly the earlier input to get that approval back.`,
      { path: "/idempotencyKey" },
    );
  }
  return found.approval;
}
