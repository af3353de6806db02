/** One walk through everything that the engine can do, so that every statement it knows is run once. */
import { randomBytes } from "node:crypto";
import { DEFAULT_POLICY } from "../../src/approval/approval.ts";
import type { ApprovalInput } from "../../src/approval/approvals.ts";
import { DEFAULT_REQUEST_LIMITS } from "../../src/approval/request.ts";
import type { Engine, Proof, Session } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/open_engine.ts";
import { POLL_MS } from "../../src/engine/waiters.ts";
import { newPasswords } from "../../src/identity/password.ts";
import type { Database } from "../../src/store/database.ts";
import { Authenticator } from "../support/authenticator.ts";
import { type ManualClock, manualClock } from "../support/clock.ts";
import { enrolled, FROM, PASSWORD, signedIn } from "../support/identity.ts";

const ORIGIN = "https://approve.example.com";
const QUESTION: ApprovalInput = { message: "Deploy?", context: '{"target":"prod"}' };

/** Calls every verb of the engine at least once, on an empty database. */
export async function walkEverything(db: Database): Promise<void> {
  const clock = manualClock();
  await using engine = await openEngine({
    db,
    clock,
    randomBytes: (length) => randomBytes(length),
    workspace: "default",
    publicUrl: ORIGIN,
    rpId: new URL(ORIGIN).hostname,
    passkeys: true,
    proofWindowMs: 300_000,
    proofWindowApplies: true,
    limits: DEFAULT_REQUEST_LIMITS,
    awaitMaxSeconds: 55,
    policy: DEFAULT_POLICY,
    passwords: newPasswords({ ln: 4, r: 8, p: 1 }),
  });
  const people = await walkIdentity(engine, clock);
  await walkApprovals(engine, clock, people);
  await engine.operating("olga").disableReviewer("Bert");
  await engine.reviewing.signOut(people.anna);
  await engine.checkWritable();
  await engine.tick();
}

interface People {
  readonly anna: Session;
  readonly bert: Session;
  readonly authenticator: Authenticator;
}

async function walkIdentity(engine: Engine, clock: ManualClock): Promise<People> {
  const { reviewing } = engine;
  const operating = engine.operating("olga");
  const authenticator = new Authenticator(ORIGIN);

  await reviewing.setupOpen();
  const { code } = await operating.newSetupCode();
  const wrong = code.replace(/\d/, (digit) => (digit === "1" ? "2" : "1"));
  await reviewing.setUpWithPassword({
    code: wrong === code ? "WRONG-CODE" : wrong,
    name: "Anna",
    password: PASSWORD,
    from: FROM,
  });
  const begun = await reviewing.beginPasskeySetup({ code, name: "Anna", from: FROM });
  if (begun.kind !== "begun") throw new Error(begun.kind);
  enrolled(
    await reviewing.setUpWithPasskey({
      code,
      name: "Anna",
      challengeId: begun.challengeId,
      response: authenticator.create(begun.options),
      from: FROM,
    }),
  );

  await operating.addReviewer({ name: "Bert", password: PASSWORD });
  await operating.addReviewer({ name: "Bert", password: PASSWORD }).catch(() => undefined);
  await operating.listReviewers();

  const ceremony = await reviewing.beginPasskeySignIn("127.0.0.1");
  const byPasskey = await reviewing.signInWithPasskey({
    challengeId: ceremony.challengeId,
    response: authenticator.get(ceremony.options),
    from: FROM,
  });
  const byPassword = await reviewing.signInWithPassword({ name: "Bert", password: PASSWORD, from: FROM });
  if (byPassword.kind !== "signed_in") throw new Error(byPassword.kind);
  await clock.advance(61_000);
  const bert = await reviewing.session(byPassword.token);
  if (bert === undefined) throw new Error("the session is gone");
  return { anna: signedIn(byPasskey), bert, authenticator };
}

async function walkApprovals(engine: Engine, clock: ManualClock, { anna, bert, authenticator }: People): Promise<void> {
  const { reviewing } = engine;
  const operating = engine.operating("olga");
  await operating.addAgent({ name: "deployer", owner: "Anna", expiresInDays: 30 });
  await operating.addAgent({ name: "deployer" }).catch(() => undefined);
  const { token } = await operating.rotateAgent("deployer");
  await operating.listAgents();
  const agent = await engine.authenticate(token);
  if (agent === undefined) throw new Error("the token is not known");
  const approvals = engine.approvalsOf(agent);

  async function decide(session: Session, id: string, proof: (options: unknown) => Proof): Promise<void> {
    const viewed = await reviewing.view(session, id);
    const prepared = await reviewing.prepare(session, {
      approvalId: id,
      decision: "submitted",
      requestDigest: viewed?.approval.requestDigest ?? "",
    });
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    await reviewing.intent(session, prepared.intentId);
    const options = await reviewing.passkeyOptions(session, prepared.intentId);
    const decided = await reviewing.decide(session, prepared.intentId, proof(options), FROM);
    if (decided.kind !== "decided") throw new Error(JSON.stringify(decided));
  }

  const first = await approvals.request({ ...QUESTION, idempotencyKey: "k1" });
  await approvals.request({ ...QUESTION, idempotencyKey: "k1" });
  await approvals.status(first.id);
  await reviewing.inbox(anna);
  const waiting = approvals.wait(first.id, { waitSeconds: 30 });
  await clock.advance(POLL_MS);
  await decide(anna, first.id, (options) => ({ kind: "passkey", response: authenticator.get(options) }));
  await waiting;
  await approvals.result(first.id, { claimKey: "run-1" });
  await approvals.result(first.id, { claimKey: "run-2" });

  const second = await approvals.request(QUESTION);
  await decide(bert, second.id, () => ({ kind: "password", password: PASSWORD }));
  const third = await approvals.request(QUESTION);
  await decide(bert, third.id, () => ({ kind: "session" }));
  const taken = await approvals.request(QUESTION);
  await approvals.cancel(taken.id, { reason: "no longer needed" });
  await approvals.cancel(taken.id);
  const stopped = await approvals.request(QUESTION);
  await operating.cancel(stopped.id, "not today");
  await operating.show(stopped.id);

  const due = await approvals.request({ ...QUESTION, expiresInSeconds: 60 });
  await clock.advance(61_000);
  for (const status of [undefined, "pending", "submitted", "declined", "canceled", "expired", "consumed"]) {
    await approvals.list({ status });
    await operating.list({ status });
  }
  await approvals.list({ idempotencyKey: "k1" });
  await approvals.cancel(due.id);
  await approvals.request({ ...QUESTION, expiresInSeconds: 60 });
  await clock.advance(61_000);
  await engine.tick();
  await operating.revokeAgent("deployer");
}
