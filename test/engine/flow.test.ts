import { expect, test } from "vitest";
import type { ApprovalInput } from "../../src/approval/approvals.ts";
import { verifyChain } from "../../src/approval/event.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Decided, Session } from "../../src/engine/engine.ts";
import { expireDue } from "../../src/engine/expire.ts";
import { inbox } from "../../src/engine/inbox.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { view } from "../../src/engine/view.ts";
import { loadEvents } from "../../src/store/events.ts";
import { manualClock, settle } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

const DEPLOY: ApprovalInput = { message: "Deploy to production", context: '{"target":"prod"}' };
const FORM: ApprovalInput = {
  message: "Approve the deploy",
  requestedSchema: {
    type: "object",
    properties: {
      approver: { type: "string", minLength: 2 },
      confidence: { type: "integer", minimum: 0, maximum: 100 },
    },
    required: ["approver", "confidence"],
  },
};

async function decideNow(
  deps: EngineDeps,
  session: Session,
  id: string,
  decision: "submitted" | "declined",
  answers?: Map<string, string[]>,
): Promise<Decided> {
  const viewed = await view(deps, session.reviewer, id);
  if (viewed === undefined) throw new Error("no such approval");
  const prepared = await prepare(deps, session, {
    approvalId: id,
    decision,
    requestDigest: viewed.approval.requestDigest,
    ...(answers ? { answers } : {}),
  });
  if (prepared.kind !== "prepared") throw new Error(`not prepared: ${prepared.kind}`);
  return decide(deps, session, prepared.intentId, RIGHT, "127.0.0.1");
}

async function types(deps: EngineDeps, id: string): Promise<string[]> {
  const events = await loadEvents(deps.db, deps.workspace, id);
  expect(verifyChain(events)).toMatchObject({ ok: true });
  return events.map((event) => event.type);
}

forEachDatabase("the approval flow", (open) => {
  async function setUp() {
    const clock = manualClock();
    const deps = verbDeps(await open(), clock);
    const agent = await addTestAgent(deps);
    const anna = await addTestReviewer(deps, "Anna");
    return { clock, deps, agent, anna, approvals: approvalsOf(deps, agent) };
  }

  test("a payload is asked, approved, fetched as it was sent, and noted once in the trail", async () => {
    const { deps, anna, approvals } = await setUp();
    const asked = await approvals.request({ ...DEPLOY, context: '{"b":1.0,"a":[0.1,"x"]}' });
    expect(asked).toMatchObject({ status: "pending", repeated: false, ignored: [], reviewable: true });
    expect(await decideNow(deps, anna, asked.id, "submitted")).toMatchObject({ kind: "decided" });
    const result = await approvals.result(asked.id);
    expect(result).toMatchObject({
      kind: "decided",
      decision: "submitted",
      contextText: '{"b":1.0,"a":[0.1,"x"]}',
      answerText: null,
      assurance: "reauthenticated",
      decidedBy: { name: "Anna" },
    });
    expect(await approvals.result(asked.id)).toEqual(result);
    expect(await approvals.status(asked.id)).toMatchObject({ status: "consumed", decision: "submitted" });
    expect(await types(deps, asked.id)).toEqual(["created", "viewed", "decided", "result_read"]);
  });

  test("a form's validated answer is handed back, and a decline carries none", async () => {
    const { deps, anna, approvals } = await setUp();
    const yes = await approvals.request(FORM);
    const no = await approvals.request(FORM);
    const answers = new Map([
      ["approver", ["Anna"]],
      ["confidence", ["80"]],
    ]);
    await decideNow(deps, anna, yes.id, "submitted", answers);
    await decideNow(deps, anna, no.id, "declined", answers);
    expect(await approvals.result(yes.id)).toMatchObject({
      decision: "submitted",
      answerText: '{"approver":"Anna","confidence":80}',
      contextText: null,
    });
    expect(await approvals.result(no.id)).toMatchObject({ decision: "declined", answerText: null });
  });

  test("an answer that breaks the schema prepares nothing and names the field", async () => {
    const { deps, anna, approvals } = await setUp();
    const { id } = await approvals.request(FORM);
    const { approval } = (await view(deps, anna.reviewer, id))!;
    const prepared = await prepare(deps, anna, {
      approvalId: id,
      decision: "submitted",
      requestDigest: approval.requestDigest,
      answers: new Map([["approver", ["A"]]]),
    });
    expect(prepared).toMatchObject({ kind: "invalid", problems: [{ field: "approver" }, { field: "confidence" }] });
  });

  test("[BR 75] [BR 123] several approvals of one agent are decided in any order, each on its own", async () => {
    const { deps, anna, approvals } = await setUp();
    const ids: string[] = [];
    for (let n = 1; n <= 5; n += 1) ids.push((await approvals.request({ ...DEPLOY, context: String(n) })).id);
    await decideNow(deps, anna, ids[4]!, "declined");
    await decideNow(deps, anna, ids[1]!, "submitted");
    const found = await Promise.all(ids.map((id) => approvals.status(id)));
    expect(found.map(({ status }) => status)).toEqual(["pending", "submitted", "pending", "pending", "declined"]);
    expect(await approvals.wait(ids[0]!, { waitSeconds: 0 })).toMatchObject({ status: "pending" });
  });

  test("[BR 103] the payload's digest is the same when made and after reading it back", async () => {
    const { deps, anna, approvals } = await setUp();
    const asked = await approvals.request({ ...DEPLOY, context: '{"z":"ä\\u0000","Z":1e2,"_":[null,false]}' });
    const viewed = await view(deps, anna.reviewer, asked.id);
    await decideNow(deps, anna, asked.id, "submitted");
    const result = await approvals.result(asked.id);
    expect(viewed?.approval.contextDigest).toBe(asked.contextDigest);
    expect(result).toMatchObject({
      contextDigest: asked.contextDigest,
      contextText: '{"z":"ä\\u0000","Z":1e2,"_":[null,false]}',
    });
  });

  test("[BR 121] null, 0, false, [] and the empty string are payloads and come back unchanged", async () => {
    const { deps, anna, approvals } = await setUp();
    for (const context of ["null", "0", "false", "[]", '""', '"hello"']) {
      const { id, contextDigest } = await approvals.request({ message: "Odd payload", context });
      expect(contextDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
      await decideNow(deps, anna, id, "submitted");
      expect(await approvals.result(id)).toMatchObject({ contextText: context, contextDigest });
    }
  });

  test("[BR 57] the first claim key takes the claim, again as often as it comes; another is refused", async () => {
    const { deps, anna, approvals } = await setUp();
    const { id } = await approvals.request(DEPLOY);
    await decideNow(deps, anna, id, "submitted");
    expect(await approvals.result(id, { claimKey: "run-1" })).toMatchObject({ claimed: true });
    expect(await approvals.result(id, { claimKey: "run-2" })).toEqual({ kind: "already_claimed" });
    expect(await approvals.result(id, { claimKey: "run-1" })).toMatchObject({ claimed: true });
    expect(await types(deps, id)).toEqual(["created", "viewed", "decided", "result_read", "claimed"]);
  });

  test("[BR 64] the same key and input give the same approval, other input a conflict, and nothing more is stored", async () => {
    const { approvals, deps, agent } = await setUp();
    const first = await approvals.request({ ...DEPLOY, idempotencyKey: "k" });
    expect(await approvals.request({ ...DEPLOY, context: '{ "target" : "prod" }', idempotencyKey: "k" })).toMatchObject(
      { id: first.id, repeated: true },
    );
    await expect(approvals.request({ ...DEPLOY, message: "Other", idempotencyKey: "k" })).rejects.toMatchObject({
      code: "idempotency_conflict",
      path: "/idempotencyKey",
    });
    await expect(approvals.request({ ...DEPLOY, expiresInSeconds: 120, idempotencyKey: "k" })).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
    const other = await addTestAgent(deps, "other");
    expect((await approvalsOf(deps, other).request({ ...DEPLOY, idempotencyKey: "k" })).id).not.toBe(first.id);
    expect((await approvalsOf(deps, agent).list()).items).toHaveLength(1);
  });

  test("a cancel closes a pending one, wakes who waits, is repeatable, and loses to a decision", async () => {
    const { deps, anna, approvals } = await setUp();
    const { id } = await approvals.request(DEPLOY);
    const waiting = approvals.wait(id);
    await settle();
    expect(await approvals.cancel(id, { reason: "not needed" })).toMatchObject({ kind: "canceled" });
    expect(await waiting).toMatchObject({ status: "canceled" });
    expect(await approvals.cancel(id)).toMatchObject({ kind: "canceled" });
    expect(await approvals.result(id)).toMatchObject({ kind: "canceled" });
    const decided = await approvals.request(DEPLOY);
    await decideNow(deps, anna, decided.id, "declined");
    expect(await approvals.cancel(decided.id)).toMatchObject({
      kind: "already_decided",
      by: { name: "Anna" },
      standing: { status: "declined" },
    });
  });

  test("[BR 65] [BR 71] a decision at or after the deadline is refused, noted, and approves nothing", async () => {
    const { clock, deps, anna, approvals } = await setUp();
    const { id } = await approvals.request({ ...DEPLOY, expiresInSeconds: 60 });
    const viewed = (await view(deps, anna.reviewer, id))!;
    const prepared = await prepare(deps, anna, {
      approvalId: id,
      decision: "submitted",
      requestDigest: viewed.approval.requestDigest,
    });
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    await clock.advance(60_000);
    expect(await approvals.status(id)).toMatchObject({ status: "expired" });
    expect(await decide(deps, anna, prepared.intentId, RIGHT, "127.0.0.1")).toMatchObject({
      kind: "closed",
      viewed: { approval: { status: "expired" } },
    });
    expect(
      await prepare(deps, anna, {
        approvalId: id,
        decision: "submitted",
        requestDigest: viewed.approval.requestDigest,
      }),
    ).toMatchObject({ kind: "closed", viewed: { approval: { status: "expired" } } });
    expect(await approvals.result(id)).toMatchObject({ kind: "expired" });
    expect(await types(deps, id)).toEqual(["created", "viewed", "expired", "decision_refused", "decision_refused"]);
  });

  test("[BR 68] what has expired leaves the inbox and the pending list at once, and counts as expired", async () => {
    const { clock, deps, approvals } = await setUp();
    const { id } = await approvals.request({ ...DEPLOY, expiresInSeconds: 60 });
    expect((await inbox(deps)).items.map((item) => item.id)).toEqual([id]);
    await clock.advance(60_000);
    expect((await inbox(deps)).items).toEqual([]);
    expect((await approvals.list({ status: "pending" })).items).toEqual([]);
    expect((await approvals.list({ status: "expired" })).items).toMatchObject([{ id, status: "expired" }]);
    await expireDue(deps);
    await expireDue(deps);
    expect((await approvals.list({ status: "expired" })).items).toMatchObject([{ id, status: "expired" }]);
    expect(await types(deps, id)).toEqual(["created", "expired"]);
  });

  test("[BR 63] [BR 97] an intent decides once, its own approval only, in its own session only", async () => {
    const { deps, anna, approvals } = await setUp();
    const bert = await addTestReviewer(deps, "Bert");
    const { id } = await approvals.request(DEPLOY);
    const { approval } = (await view(deps, anna.reviewer, id))!;
    const other = await approvals.request({ ...DEPLOY, context: '{"target":"everything"}' });
    const prepared = await prepare(deps, anna, {
      approvalId: id,
      decision: "submitted",
      requestDigest: approval.requestDigest,
    });
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    expect(await decide(deps, bert, prepared.intentId, RIGHT, "127.0.0.1")).toEqual({ kind: "lapsed" });
    expect(
      await prepare(deps, anna, { approvalId: other.id, decision: "submitted", requestDigest: approval.requestDigest }),
    ).toEqual({ kind: "changed" });
    expect(await decide(deps, anna, prepared.intentId, { kind: "password", password: "wrong" }, "127.0.0.1")).toEqual({
      kind: "proof_required",
      reason: "wrong",
    });
    expect(await decide(deps, anna, prepared.intentId, { kind: "session" }, "127.0.0.1")).toMatchObject({
      kind: "proof_required",
    });
    expect(await decide(deps, anna, prepared.intentId, RIGHT, "127.0.0.1")).toMatchObject({ kind: "decided" });
    expect(await decide(deps, anna, prepared.intentId, RIGHT, "127.0.0.1")).toMatchObject({
      kind: "closed",
      viewed: { approval: { status: "submitted" } },
    });
    expect(await approvals.status(other.id)).toMatchObject({ status: "pending" });
  });

  test("many looks of one reviewer at once are one event, and the first event names the host program", async () => {
    const { deps, anna, approvals } = await setUp();
    const { id } = await approvals.request(DEPLOY, { client: { name: "Host", version: "1.2" } });
    await Promise.all(Array.from({ length: 5 }, () => view(deps, anna.reviewer, id)));
    expect(await types(deps, id)).toEqual(["created", "viewed"]);
    const [created] = await loadEvents(deps.db, deps.workspace, id);
    expect(created?.body).toMatchObject({ client: { name: "Host", version: "1.2" }, owner: null });
  });

  test("another agent's approval and a made-up id are the same answer", async () => {
    const { deps, approvals } = await setUp();
    const { id } = await approvals.request(DEPLOY);
    const stranger = approvalsOf(deps, await addTestAgent(deps, "stranger"));
    const errors: unknown[] = [];
    for (const asked of [id, id.replace(/.$/, (last) => (last === "0" ? "1" : "0")), "../../etc/passwd"]) {
      for (const verb of [stranger.status, stranger.wait, stranger.result, stranger.cancel]) {
        errors.push(
          await verb(asked).then(
            () => "answered",
            ({ code, message, path }) => `${code} ${message} ${path}`,
          ),
        );
      }
    }
    expect(new Set(errors).size).toBe(1);
    expect(errors[0]).toMatch(/^not_found /);
    expect((await stranger.list()).items).toEqual([]);
  });

  test("another workspace sees and decides nothing of this one", async () => {
    const { deps, anna, approvals } = await setUp();
    await deps.db.query(`INSERT INTO workspaces (id, name, created_at) VALUES ('second', 'Second', 0)`);
    const second = verbDeps(deps.db, deps.clock, { workspace: "second" });
    const { id } = await approvals.request(DEPLOY);
    const eve = await addTestReviewer(second, "Eve");
    const { approval } = (await view(deps, anna.reviewer, id))!;
    expect(await view(second, eve.reviewer, id)).toBeUndefined();
    expect((await inbox(second)).items).toEqual([]);
    expect(
      await prepare(second, eve, { approvalId: id, decision: "submitted", requestDigest: approval.requestDigest }),
    ).toEqual({ kind: "not_found" });
    await expect(approvalsOf(second, await addTestAgent(second)).status(id)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("lists page by page, newest first, without a gap or a double", async () => {
    const { clock, approvals } = await setUp();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      ids.unshift((await approvals.request({ ...DEPLOY, idempotencyKey: `k${n}` })).id);
      await clock.advance(1);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await approvals.list({ limit: 3, cursor });
      seen.push(...page.items.map((item) => item.id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
    expect((await approvals.list({ idempotencyKey: "k2" })).items.map((item) => item.id)).toEqual([ids[4]]);
    expect((await approvals.list({ idempotencyKey: "k2", status: "pending" })).items.map((item) => item.id)).toEqual([
      ids[4],
    ]);
    expect((await approvals.list({ idempotencyKey: "k2", status: "expired" })).items).toEqual([]);
    await clock.advance(3_600_000);
    expect((await approvals.list({ idempotencyKey: "k2", status: "pending" })).items).toEqual([]);
    expect((await approvals.list({ idempotencyKey: "k2", status: "expired" })).items.map((item) => item.id)).toEqual([
      ids[4],
    ]);
    await expect(approvals.list({ cursor: "nonsense" })).rejects.toMatchObject({
      code: "invalid_request",
      path: "/cursor",
    });
  });
});
