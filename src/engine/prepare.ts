/**
 * The first of the two steps of a decision: what is to be decided is read, checked and put down as an intent, which
 * is what a proof signs. Nothing is decided yet.
 */
import { type Approval, isPending, standingAt } from "../approval/approval.ts";
import { digestOf } from "../approval/canonical.ts";
import { readDecision } from "../approval/decide.ts";
import { type Intent, INTENT_LIFETIME_MS } from "../approval/intent.ts";
import type { JsonValue } from "../approval/json_text.ts";
import { isApprovalId } from "../approval/id.ts";
import { isRandomId } from "../identity/secret.ts";
import { loadApproval } from "../store/approvals.ts";
import { insertIntent, loadIntent, type StoredIntent } from "../store/intents.ts";
import { recordRefusal } from "./refuse.ts";
import type { EngineDeps } from "./deps.ts";
import type { Prepared, PreparedIntent, PrepareInput, Session } from "./engine.ts";
import { formOf, look } from "./view.ts";

const NONCE_BYTES = 32;

export async function prepare(deps: EngineDeps, session: Session, input: PrepareInput): Promise<Prepared> {
  if (!isApprovalId(input.approvalId)) return { kind: "not_found" };
  const stored = await loadApproval(deps.db, deps.workspace, input.approvalId);
  if (stored === undefined) return { kind: "not_found" };
  const now = deps.now();
  if (!isPending(standingAt(stored, now))) {
    await recordRefusal(deps, session.reviewer, stored, input.decision, now);
    const viewed = await look(deps, session.reviewer, input.approvalId);
    return viewed === undefined ? { kind: "not_found" } : { kind: "closed", viewed };
  }
  if (input.requestDigest !== stored.requestDigest) return { kind: "changed" };
  const read = readDecision(formOf(stored), input);
  if (read.kind === "invalid") return read;

  const intent = newIntent(
    deps,
    session,
    stored,
    { decision: input.decision, answer: read.answer, comment: read.comment },
    now,
  );
  const made: Omit<StoredIntent, "burnedAt"> = {
    id: Buffer.from(deps.randomBytes(16)).toString("base64url"),
    approvalId: stored.id,
    personId: session.reviewer.id,
    decision: input.decision,
    answerText: read.answer === null ? null : JSON.stringify(read.answer),
    comment: read.comment,
    intent,
    expiresAt: intent.expiresAt,
  };
  await deps.db.transaction((tx) => insertIntent(tx, deps.workspace, session.hash, made, now));
  return { kind: "prepared", ...shown(deps, session, { ...made, burnedAt: null }, stored, now) };
}

/** A live intent of this session, for the page that asks to confirm it. */
export async function preparedIntent(
  deps: EngineDeps,
  session: Session,
  intentId: string,
): Promise<PreparedIntent | undefined> {
  if (!isRandomId(intentId)) return undefined;
  const now = deps.now();
  const stored = await loadIntent(deps.db, deps.workspace, session.hash, intentId);
  if (stored === undefined || stored.burnedAt !== null || stored.expiresAt <= now) return undefined;
  const approval = await loadApproval(deps.db, deps.workspace, stored.approvalId);
  return approval && shown(deps, session, stored, standingAt(approval, now), now);
}

/** True when the session proved who is there recently enough, where that counts at all. */
export function proofIsFresh(deps: EngineDeps, session: Session, now: number): boolean {
  return (
    deps.proofWindowApplies &&
    session.provedAt !== null &&
    now >= session.provedAt &&
    now - session.provedAt <= deps.proofWindowMs
  );
}

function newIntent(
  deps: EngineDeps,
  session: Session,
  approval: Approval,
  made: { decision: Intent["decision"]; answer: JsonValue; comment: string | null },
  now: number,
): Intent {
  return {
    v: 1,
    workspace: deps.workspace,
    approvalId: approval.id,
    reviewerId: session.reviewer.id,
    decision: made.decision,
    requestDigest: approval.requestDigest,
    answerDigest: digestOf("answer", made.answer),
    commentDigest: digestOf("comment", made.comment),
    renderingDigest: null,
    policyDigest: approval.policyDigest,
    origin: deps.publicUrl,
    nonce: Buffer.from(deps.randomBytes(NONCE_BYTES)).toString("base64url"),
    expiresAt: Math.min(now + INTENT_LIFETIME_MS, approval.expiresAt),
  };
}

function shown(
  deps: EngineDeps,
  session: Session,
  stored: StoredIntent,
  approval: Approval,
  now: number,
): PreparedIntent {
  return {
    intentId: stored.id,
    intent: stored.intent,
    approval,
    form: formOf(approval),
    answer: stored.answerText === null ? null : (JSON.parse(stored.answerText) as PreparedIntent["answer"]),
    comment: stored.comment,
    proofNeeded: !proofIsFresh(deps, session, now),
  };
}
