/**
 * The second step of a decision: the intent is burned together with a proof, in the one transaction that closes the
 * approval. Proofs are checked before it, since that takes time; the transaction only acts on what still stands.
 */
import { type Approval, type Assurance, isPending, reaches, standingAt } from "../approval/approval.ts";
import { ownsRequester, refusalFor } from "../approval/decide.ts";
import type { JsonValue } from "../approval/json_text.ts";
import { isRandomId } from "../identity/secret.ts";
import { closeDecided, loadApproval } from "../store/approvals.ts";
import { insertDecision } from "../store/decisions.ts";
import { appendEvent } from "../store/events.ts";
import { burnIntent, loadIntent, type StoredIntent } from "../store/intents.ts";
import { announce, noteClosing } from "./close.ts";
import type { EngineDeps } from "./deps.ts";
import type { Decided, Proof, Session } from "./engine.ts";
import { newEvent, reviewerActor } from "./events.ts";
import { expireOne } from "./expire.ts";
import { recordRefusal, refusalEvent } from "./refuse.ts";
import type { CheckedProof } from "./verified_proof.ts";
import { look } from "./view.ts";

export async function decide(
  deps: EngineDeps,
  session: Session,
  intentId: string,
  proof: Proof,
  from: string,
): Promise<Decided> {
  if (!isRandomId(intentId)) return { kind: "lapsed" };
  const stored = await loadIntent(deps.db, deps.workspace, session.hash, intentId);
  if (stored === undefined) return { kind: "lapsed" };
  // The second click of a double click is led to what the first one decided.
  if (stored.burnedAt !== null) return closedOrLapsed(deps, session, stored.approvalId);
  const approval = await loadApproval(deps.db, deps.workspace, stored.approvalId);
  if (approval === undefined) return { kind: "lapsed" };
  const before = deps.now();
  if (!isPending(standingAt(approval, before))) {
    await recordRefusal(deps, session.reviewer, approval, stored.decision, before);
    return closedOrLapsed(deps, session, approval.id);
  }
  if (stored.expiresAt <= before) return { kind: "lapsed" };
  const reason = refusalFor(approval, session.reviewer.id);
  if (reason !== undefined) return { kind: "forbidden", reason };

  const checked = await deps.verifyProof({ session, intent: stored.intent, proof, from });
  if (!checked.ok) return { kind: "proof_required", reason: checked.reason };
  if (!reaches(checked.assurance, approval.policy.minAssurance)) return { kind: "proof_required", reason: "missing" };
  return close(deps, session, stored, approval, checked);
}

type Closing =
  | { kind: "decided"; approval: Approval }
  | { kind: "closed"; expired: boolean }
  | { kind: "lapsed" }
  | { kind: "forbidden" };

async function close(
  deps: EngineDeps,
  session: Session,
  stored: StoredIntent,
  approval: Approval,
  proof: CheckedProof,
): Promise<Decided> {
  // Read after the proof was checked, so that a slow check cannot carry a decision over the deadline.
  const now = deps.now();
  const { reviewer } = session;
  const byOwner = ownsRequester(approval, reviewer.id);
  const decidedEvent = newEvent(deps, {
    stream: approval.id,
    type: "decided",
    actor: reviewerActor(reviewer),
    at: now,
    body: decidedBody(stored, proof.assurance, byOwner),
  });
  const refused = refusalEvent(deps, reviewer, approval.id, stored.decision, now);

  const closing = await deps.db.transaction(async (tx): Promise<Closing> => {
    // In this order: a proof that is no longer good must not use the intent up, and who disables a reviewer drops the
    // intents too, so that a decision which still finds its intent came before that.
    if (!(await proof.stillGood(tx))) return { kind: "forbidden" };
    if (!(await burnIntent(tx, deps.workspace, session.hash, stored.id, now))) return { kind: "lapsed" };
    const closed = await closeDecided(tx, {
      workspace: deps.workspace,
      id: approval.id,
      requestDigest: stored.intent.requestDigest,
      decision: stored.decision,
      now,
    });
    if (closed === undefined) {
      const expired = await expireOne(deps, tx, approval, now);
      await appendEvent(tx, refused);
      return { kind: "closed", expired };
    }
    await insertDecision(tx, {
      workspace: deps.workspace,
      approvalId: approval.id,
      person: { id: reviewer.id, name: reviewer.name },
      decision: stored.decision,
      answerText: stored.answerText,
      comment: stored.comment,
      assurance: proof.assurance,
      intent: stored.intent,
      evidence: proof.evidence,
      byOwner,
      at: now,
    });
    await appendEvent(tx, decidedEvent);
    await proof.use(tx, now);
    await noteClosing(deps, tx, approval.id);
    return { kind: "decided", approval: closed };
  });

  switch (closing.kind) {
    case "decided":
      announce(deps, approval.id);
      return closing;
    case "closed":
      if (closing.expired) announce(deps, approval.id);
      return closedOrLapsed(deps, session, approval.id);
    case "lapsed":
      return closedOrLapsed(deps, session, approval.id);
    case "forbidden":
      return {
        kind: "forbidden",
        reason: "You can no longer decide here: your account or the passkey you used was disabled.",
      };
  }
}

/** What to tell when this click decided nothing: what did, if the approval is closed; otherwise that the intent's time is over. */
async function closedOrLapsed(deps: EngineDeps, session: Session, approvalId: string): Promise<Decided> {
  const viewed = await look(deps, session.reviewer, approvalId);
  return viewed === undefined || isPending(viewed.approval) ? { kind: "lapsed" } : { kind: "closed", viewed };
}

/** The trail names the answer by digest: its text stays in the decision's row, where it can be erased. */
function decidedBody(stored: StoredIntent, assurance: Assurance, byOwner: boolean): JsonValue {
  const { requestDigest, answerDigest, commentDigest, policyDigest, nonce } = stored.intent;
  return {
    decision: stored.decision,
    assurance,
    byOwner,
    requestDigest,
    answerDigest,
    commentDigest,
    policyDigest,
    nonce,
  };
}
