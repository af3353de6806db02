/** How soon a decision reaches who waits for it: inside the process, and over HTTP. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_POLICY } from "../src/approval/approval.ts";
import { DEFAULT_REQUEST_LIMITS } from "../src/approval/request.ts";
import { openEngine } from "../src/engine/open_engine.ts";
import { newPasswords } from "../src/identity/password.ts";
import { systemClock } from "../src/open.ts";
import type { Database } from "../src/store/database.ts";
import { openDatabase } from "../src/store/open.ts";
import { startChild } from "./child.ts";
import { type Measured, quantile } from "./figures.ts";
import { newCaller } from "./load.ts";

const DECISIONS = 1_000;
/** Others who wait meanwhile, for approvals of their own. */
const BYSTANDERS = 100;
const ROUND_TRIPS = 200;
const PASSWORD = "a good passphrase";

/** From the commit of a decision to the end of the wait, in one process, on a file. */
export async function measureWaking(): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  try {
    await using db = timed(await openDatabase({ kind: "sqlite", path: join(folder, "countersign.db") }));
    return [await measureIn(db)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(db: TimedDatabase): Promise<Measured> {
  await using engine = await openEngine({
    db,
    clock: systemClock,
    randomBytes: (length) => randomBytes(length),
    workspace: "default",
    publicUrl: "https://approve.example.com",
    rpId: "approve.example.com",
    passkeys: true,
    proofWindowMs: 3_600_000,
    proofWindowApplies: true,
    limits: DEFAULT_REQUEST_LIMITS,
    awaitMaxSeconds: 55,
    policy: DEFAULT_POLICY,
    passwords: newPasswords({ ln: 4, r: 8, p: 1 }),
  });
  const operating = engine.operating("bench");
  await operating.addReviewer({ name: "Anna", password: PASSWORD });
  const { agent } = await operating.addAgent({ name: "bench" });
  const opened = await engine.reviewing.signInWithPassword({ name: "Anna", password: PASSWORD, from: "127.0.0.1" });
  if (opened.kind !== "signed_in") throw new Error(opened.kind);
  const { session } = opened;
  const approvals = engine.approvalsOf(agent);
  const ask = () => approvals.request({ message: "Deploy?", context: '{"target":"prod"}' });

  const leaving = new AbortController();
  const bystanders = Array.from({ length: BYSTANDERS }, async () =>
    approvals.wait((await ask()).id, { signal: leaving.signal }),
  );
  const took: number[] = [];
  for (let n = 0; n < DECISIONS; n += 1) {
    const { id } = await ask();
    const viewed = await engine.reviewing.view(session, id);
    const prepared = await engine.reviewing.prepare(session, {
      approvalId: id,
      decision: "submitted",
      requestDigest: viewed?.approval.requestDigest ?? "",
    });
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    const waiting = approvals.wait(id).then((waited) => ({ waited, at: performance.now() }));
    await new Promise((resolve) => setImmediate(resolve));
    const [decided, { waited, at }] = await Promise.all([
      engine.reviewing.decide(session, prepared.intentId, { kind: "session" }, "127.0.0.1"),
      waiting,
    ]);
    if (decided.kind !== "decided" || waited.decision !== "submitted")
      throw new Error(`${decided.kind}, ${waited.status}`);
    took.push(at - db.committedAt);
  }
  leaving.abort();
  await Promise.all(bystanders);
  return {
    what: "commit of a decision to the waiter resolved, in process, p99",
    value: quantile(took, 0.99),
    allowed: 5,
    unit: "ms",
    detail: `${DECISIONS} decisions, ${BYSTANDERS} others waiting; median ${quantile(took, 0.5).toFixed(2)} ms`,
  };
}

interface TimedDatabase extends Database {
  /** When the last transaction had committed, on `performance.now()`. */
  readonly committedAt: number;
}

function timed(db: Database): TimedDatabase {
  let committedAt = 0;
  return {
    dialect: db.dialect,
    get committedAt() {
      return committedAt;
    },
    query: (sql, params) => db.query(sql, params),
    async transaction(body) {
      const result = await db.transaction(body);
      committedAt = performance.now();
      return result;
    },
    clockOffsetMs: () => db.clockOffsetMs(),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** From the decision to the answer of `elicit_await` at the client, beside round trips of `elicit_status` in between. */
export async function measureAwait(): Promise<Measured[]> {
  await using server = await startChild("our_server.ts");
  using caller = newCaller(server.mcp, server.token);
  const awaits: number[] = [];
  const statuses: number[] = [];
  for (let n = 0; n < ROUND_TRIPS; n += 1) {
    const { elicitationId } = await caller.call("elicit_approval", { message: "Deploy?", context: { target: "prod" } });
    for (let look = 0; look < 2; look += 1) {
      const before = performance.now();
      await caller.call("elicit_status", { elicitationId });
      statuses.push(performance.now() - before);
    }
    const waiting = caller
      .call("elicit_await", { elicitationId })
      .then((answer) => ({ answer, at: process.hrtime.bigint() }));
    // The monotonic clock is the machine's, so the two processes read the same.
    const { committedAt } = await server.ask<{ committedAt: string }>({ ask: "decide", approvalId: elicitationId });
    const { answer, at } = await waiting;
    if (answer["decision"] !== "submitted") throw new Error(JSON.stringify(answer));
    awaits.push(Number(at - BigInt(committedAt)) / 1e6);
  }
  const [ours, theirs] = [quantile(awaits, 0.95), quantile(statuses, 0.95)];
  return [
    {
      what: "decision to the return of elicit_await, to a round trip of elicit_status, p95",
      value: ours / theirs,
      allowed: 2,
      unit: "×",
      detail: `${ours.toFixed(2)} ms against ${theirs.toFixed(2)} ms; medians ${quantile(awaits, 0.5).toFixed(2)} and ${quantile(statuses, 0.5).toFixed(2)} ms`,
    },
  ];
}
