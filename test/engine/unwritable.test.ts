/** A store that cannot be written: what only reads goes on, what writes says `unavailable`, and nothing is half done. */
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addAgent } from "../../src/engine/agents.ts";
import { openEngine } from "../../src/engine/open_engine.ts";
import { addReviewer } from "../../src/engine/reviewers.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { FROM, identityDeps, openSessionOf, PASSWORD } from "../support/identity.ts";

const ASKED = { message: "Go", context: "1" };
const NOW_NOT = { code: "unavailable", retryAfterSeconds: 2 };

/** An engine with a reviewer, an agent and a session, over a file that another process can lock. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-test-"));
  const path = join(folder, "countersign.db");
  // Another process's lock is waited for no longer than this.
  const db = await openSqlite(path, 1);
  await migrate(db);
  const deps = identityDeps(db);
  const engine = await openEngine(deps);
  await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
  const { agent, token } = await addAgent(deps, "olga", { name: "deployer" });
  const anna = await openSessionOf(deps, "Anna");
  return {
    clock: deps.clock,
    engine,
    anna,
    agent,
    token,
    approvals: engine.approvalsOf(agent),
    /** Holds the write lock until it is disposed of. */
    lock(): Disposable {
      const other = new DatabaseSync(path);
      other.exec("BEGIN IMMEDIATE");
      return { [Symbol.dispose]: () => other.close() };
    },
    count: async (table: "approvals" | "events" | "decisions") =>
      (await db.query(`SELECT 1 AS one FROM ${table}`)).length,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

test("status, list, inbox, page, token and a claim that is held are read; asking, deciding and canceling wait", async () => {
  await using world = await setUp();
  const { engine, anna, approvals, token } = world;
  const { reviewing } = engine;
  const open = await approvals.request(ASKED);
  const done = await approvals.request(ASKED);
  const fetched = await approvals.request(ASKED);
  const prepare = async (id: string) => {
    const { approval } = (await reviewing.view(anna, id))!;
    return reviewing.prepare(anna, { approvalId: id, decision: "submitted", requestDigest: approval.requestDigest });
  };
  const intents: string[] = [];
  for (const { id } of [open, done, fetched]) {
    const prepared = await prepare(id);
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    intents.push(prepared.intentId);
  }
  const password = { kind: "password", password: PASSWORD } as const;
  for (const intentId of intents.slice(1)) await reviewing.decide(anna, intentId, password, FROM);
  await approvals.result(fetched.id, { claimKey: "run" });
  // Long enough that a use would be noted again.
  await world.clock.advance(61_000);

  const before = await world.count("events");
  {
    using _lock = world.lock();
    expect(await engine.authenticate(token)).toEqual(world.agent);
    expect(await approvals.status(open.id)).toMatchObject({ status: "pending" });
    expect(await approvals.wait(open.id, { waitSeconds: 0 })).toMatchObject({ status: "pending" });
    expect((await approvals.list()).items).toHaveLength(3);
    expect((await reviewing.inbox(anna)).items).toHaveLength(1);
    expect(await reviewing.view({ ...anna, reviewer: { ...anna.reviewer, id: "person_new" } }, open.id)).toBeDefined();
    expect(await approvals.result(fetched.id)).toMatchObject({ kind: "decided" });
    expect(await approvals.result(fetched.id, { claimKey: "run" })).toMatchObject({ claimed: true });
    expect(await approvals.result(fetched.id, { claimKey: "other" })).toEqual({ kind: "already_claimed" });
    // Too late is the answer, although it cannot be noted.
    expect(await prepare(done.id)).toMatchObject({ kind: "closed", viewed: { approval: { status: "submitted" } } });

    await expect(approvals.request(ASKED)).rejects.toMatchObject(NOW_NOT);
    await expect(approvals.cancel(open.id)).rejects.toMatchObject(NOW_NOT);
    await expect(approvals.result(done.id)).rejects.toMatchObject(NOW_NOT);
    await expect(reviewing.decide(anna, intents[0]!, password, FROM)).rejects.toMatchObject(NOW_NOT);
    await expect(engine.checkWritable()).rejects.toMatchObject(NOW_NOT);
    await expect(engine.tick()).rejects.toMatchObject(NOW_NOT);
  }
  expect(await world.count("events")).toBe(before);
  expect(await world.count("approvals")).toBe(3);
  expect(await world.count("decisions")).toBe(2);
  // The same press, once the store is back.
  expect(await reviewing.decide(anna, intents[0]!, password, FROM)).toMatchObject({ kind: "decided" });
  expect(await approvals.result(done.id)).toMatchObject({ kind: "decided" });
});

test("a session is found although its use cannot be noted", async () => {
  await using world = await setUp();
  const signedIn = await world.engine.reviewing.signInWithPassword({ name: "Anna", password: PASSWORD, from: FROM });
  if (signedIn.kind !== "signed_in") throw new Error(signedIn.kind);
  await world.clock.advance(61_000);
  using _lock = world.lock();
  expect(await world.engine.reviewing.session(signedIn.token)).toMatchObject({ reviewer: { name: "Anna" } });
});
