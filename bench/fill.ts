/** A store with a past: many approvals in every state, written by the store's own statements. */
import { DEFAULT_POLICY } from "../src/approval/approval.ts";
import { digestOf } from "../src/approval/canonical.ts";
import { type Actor, draftEvent, type EventType } from "../src/approval/event.ts";
import { newApprovalId } from "../src/approval/id.ts";
import type { Intent } from "../src/approval/intent.ts";
import { DEFAULT_REQUEST_LIMITS, newApproval, readRequest, type ValidRequest } from "../src/approval/request.ts";
import { closeCanceled, closeDecided, closeExpired, insertApproval, markConsumed } from "../src/store/approvals.ts";
import type { Database, Queryable } from "../src/store/database.ts";
import { insertDecision } from "../src/store/decisions.ts";
import { appendEvent } from "../src/store/events.ts";

/** So many approvals a transaction. */
const BATCH = 500;
const LIFETIME_SECONDS = 3_600;
/** One of each ten: a fifth waits, half were decided and read, the rest ended in the other ways. */
const ENDINGS = [
  "pending",
  "consumed",
  "consumed",
  "declined",
  "consumed",
  "pending",
  "consumed",
  "canceled",
  "consumed",
  "expired",
] as const;

export interface Fill {
  readonly workspace: string;
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly reviewer: { readonly id: string; readonly name: string };
  readonly count: number;
  /** Epoch milliseconds of the newest one; each older one is a second older, and the pending ones are not due. */
  readonly until: number;
  randomBytes(length: number): Uint8Array;
}

/** Those that are still pending were asked within their time; the others may be as old as they like. */
export async function fillApprovals(db: Database, fill: Fill): Promise<void> {
  for (let start = 0; start < fill.count; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, fill.count - start) }, (_, index) => start + index);
    await db.transaction(async (tx) => {
      for (const n of numbers) await addOne(tx, fill, n);
    });
  }
}

async function addOne(tx: Queryable, fill: Fill, n: number): Promise<void> {
  const { workspace, reviewer } = fill;
  const agent = fill.agents[n % fill.agents.length];
  if (agent === undefined) throw new Error("give at least one agent");
  const ending = ENDINGS[n % ENDINGS.length] ?? "pending";
  const valid = request(n);
  const createdAt = fill.until - (fill.count - n) * 1_000;
  const fresh = newApproval(valid, {
    workspace,
    id: newApprovalId(createdAt, fill.randomBytes(16)),
    now: createdAt,
    requester: { agent, owner: null, client: null },
    policy: DEFAULT_POLICY,
  });
  const approval = ending === "pending" ? { ...fresh, expiresAt: fill.until + LIFETIME_SECONDS * 1_000 } : fresh;
  const { id } = approval;
  const at = createdAt + 60_000;
  const event = (type: EventType, actor: Actor, body: object) =>
    appendEvent(
      tx,
      draftEvent({ workspace, stream: id, type, actor, at, salt: text(fill.randomBytes(16)), body: { ...body } }),
    );

  await insertApproval(tx, approval, valid.lifetimeSeconds);
  await event(
    "created",
    { kind: "agent", ...agent },
    { requestDigest: approval.requestDigest, contextDigest: approval.contextDigest },
  );
  switch (ending) {
    case "pending":
      return;
    case "canceled":
      await closeCanceled(tx, { workspace, id, agent: agent.id, reason: null, now: at });
      return event("canceled", { kind: "agent", ...agent }, { reason: null });
    case "expired":
      await closeExpired(tx, workspace, id, approval.expiresAt);
      return event("expired", { kind: "system", id: "clock", name: "Countersign" }, {});
    default: {
      const decision = ending === "declined" ? "declined" : "submitted";
      await closeDecided(tx, { workspace, id, requestDigest: approval.requestDigest, decision, now: at });
      const intent: Intent = {
        v: 1,
        workspace,
        approvalId: id,
        reviewerId: reviewer.id,
        decision,
        requestDigest: approval.requestDigest,
        answerDigest: NOTHING,
        commentDigest: NOTHING,
        renderingDigest: null,
        policyDigest: approval.policyDigest,
        origin: "http://localhost:4747",
        nonce: text(fill.randomBytes(32)),
        expiresAt: at,
      };
      await insertDecision(tx, {
        workspace,
        approvalId: id,
        person: reviewer,
        decision,
        answerText: null,
        comment: null,
        assurance: "reauthenticated",
        intent,
        evidence: {},
        byOwner: false,
        at,
      });
      await event("decided", { kind: "reviewer", ...reviewer }, { decision });
      if (ending === "consumed") await markConsumed(tx, workspace, id, at + 1_000);
    }
  }
}

const NOTHING = digestOf("answer", null);

/** Every fourth one has an idempotency key. */
function request(n: number): ValidRequest {
  const context = JSON.stringify({
    service: "billing",
    version: `1.${n}.0`,
    replicas: 3,
    rollout: { strategy: "canary", steps: [5, 25, 100] },
  });
  return readRequest(
    {
      message: `Deploy billing 1.${n}.0 to production?`,
      context,
      expiresInSeconds: LIFETIME_SECONDS,
      ...(n % 4 === 0 ? { idempotencyKey: `deploy-${n}` } : {}),
    },
    DEFAULT_REQUEST_LIMITS,
  );
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
