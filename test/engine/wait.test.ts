/** No decision is missed, whenever it falls; and a wait leaves nothing behind. */
import { expect, test } from "vitest";
import type { Approvals } from "../../src/approval/approvals.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { POLL_MS } from "../../src/engine/waiters.ts";
import { closeCanceled } from "../../src/store/approvals.ts";
import { type ManualClock, manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { type WatchedDatabase, watched } from "../support/watched.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";
import { decide } from "../../src/engine/decide.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { view } from "../../src/engine/view.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Session } from "../../src/engine/engine.ts";

const RUNS = 1_000;
const ASKED = { message: "Wait", context: "1" };

async function readyToDecide(deps: EngineDeps, session: Session, id: string): Promise<() => Promise<void>> {
  const { approval } = (await view(deps, session.reviewer, id))!;
  const prepared = await prepare(deps, session, {
    approvalId: id,
    decision: "submitted",
    requestDigest: approval.requestDigest,
  });
  if (prepared.kind !== "prepared") throw new Error(prepared.kind);
  return async () => {
    expect(await decide(deps, session, prepared.intentId, RIGHT, "a")).toMatchObject({ kind: "decided" });
  };
}

/** Moves the clock on until the promise settles, letting every answer of the database arrive before each step. */
async function turnUntil<T>(clock: ManualClock, db: WatchedDatabase, promise: Promise<T>, stepMs: number): Promise<T> {
  let done = false;
  const ending = promise.finally(() => (done = true));
  await db.idle();
  while (!done) {
    await clock.advance(stepMs);
    await db.idle();
  }
  return ending;
}

forEachDatabase("waiting", (open) => {
  async function setUp(): Promise<{
    clock: ManualClock;
    db: WatchedDatabase;
    deps: EngineDeps;
    approvals: Approvals;
    anna: Session;
  }> {
    const clock = manualClock();
    const db = watched(await open());
    const deps = verbDeps(db, clock);
    return {
      clock,
      db,
      deps,
      approvals: approvalsOf(deps, await addTestAgent(deps)),
      anna: await addTestReviewer(deps, "Anna"),
    };
  }

  test("a decision before the wait begins is returned at once", async () => {
    const { deps, approvals, anna } = await setUp();
    const { id } = await approvals.request(ASKED);
    await (
      await readyToDecide(deps, anna, id)
    )();
    expect(await approvals.wait(id)).toMatchObject({ status: "submitted", decision: "submitted", waitedMs: 0 });
    expect(deps.waiters.size).toBe(0);
  });

  test("a decision ends the wait at once, before any poll", async () => {
    const { clock, db, deps, approvals, anna } = await setUp();
    const { id } = await approvals.request(ASKED);
    const decideIt = await readyToDecide(deps, anna, id);
    const waiting = approvals.wait(id);
    await db.idle();
    await decideIt();
    // The clock stands still: only the wake-up can end it.
    expect(await waiting).toMatchObject({ status: "submitted", waitedMs: 0 });
    expect(clock.timers).toBe(0);
  });

  test("a window that closes answers pending, with how long it waited", async () => {
    const { clock, db, deps, approvals } = await setUp();
    const { id } = await approvals.request(ASKED);
    expect(await turnUntil(clock, db, approvals.wait(id, { waitSeconds: 10 }), 1_000)).toMatchObject({
      status: "pending",
      waitedMs: 10_000,
    });
    expect(deps.waiters.size).toBe(0);
    expect(clock.timers).toBe(0);
  });

  test("an expiry ends the wait at its moment", async () => {
    const { clock, db, approvals } = await setUp();
    const { id } = await approvals.request({ ...ASKED, expiresInSeconds: 60 });
    await clock.advance(50_000);
    expect(await turnUntil(clock, db, approvals.wait(id), 1_000)).toMatchObject({
      status: "expired",
      waitedMs: 10_000,
    });
  });

  test("an abort frees the waiter and leaves the approval as it was", async () => {
    const { clock, db, deps, approvals } = await setUp();
    const { id } = await approvals.request(ASKED);
    const abort = new AbortController();
    const waiting = approvals.wait(id, { signal: abort.signal });
    await db.idle();
    abort.abort();
    expect(await waiting).toMatchObject({ status: "pending" });
    expect(deps.waiters.size).toBe(0);
    expect(clock.timers).toBe(0);
  });

  test("the end of the engine ends every wait, as the approval then stands, and leaves no timer", async () => {
    const { clock, db, deps, approvals } = await setUp();
    const { id } = await approvals.request(ASKED);
    const waits = [approvals.wait(id), approvals.wait(id)];
    await db.idle();
    deps.waiters[Symbol.dispose]();
    expect(await Promise.all(waits)).toMatchObject([{ status: "pending" }, { status: "pending" }]);
    expect(await approvals.wait(id)).toMatchObject({ status: "pending", waitedMs: 0 });
    expect(clock.timers).toBe(0);
  });

  test("a change that no wake-up told of is seen by the next poll", async () => {
    const { clock, db, deps, approvals } = await setUp();
    const { id } = await approvals.request(ASKED);
    const waiting = approvals.wait(id);
    await db.idle();
    // As another process would: a write that this engine hears nothing of.
    await deps.db.transaction((tx) =>
      closeCanceled(tx, { workspace: "default", id, agent: null, reason: null, now: deps.now() }),
    );
    const { status, waitedMs } = await turnUntil(clock, db, waiting, POLL_MS / 3);
    expect(status).toBe("canceled");
    expect(waitedMs).toBeLessThanOrEqual(2 * POLL_MS);
  });

  test(`a decision before, at and after the deadline of a wait is never missed (${RUNS} runs)`, async () => {
    const { clock, db, deps, approvals, anna } = await setUp();
    const windowMs = 1_000;
    // Decisions from 10 ms before the deadline to 10 ms after it, one at every millisecond.
    const offsets = Array.from({ length: 20 }, (_, index) => index - 10);
    for (let run = 0; run < RUNS; run += offsets.length) {
      const ids = await Promise.all(offsets.map(async () => (await approvals.request(ASKED)).id));
      const decideIt = await Promise.all(ids.map((id) => readyToDecide(deps, anna, id)));
      const waiting = ids.map((id) => approvals.wait(id, { waitSeconds: windowMs / 1_000 }));
      await db.idle();
      await clock.advance(windowMs + offsets[0]!);
      // In every second round the clock runs on while decisions are still on their way to the database.
      const unhurried = (run / offsets.length) % 2 === 0;
      const deciding = decideIt.map(async (make, index) => {
        if (index > 0) await new Promise<void>((resolve) => clock.timer(index, resolve));
        await make();
      });
      for (const _ of offsets) {
        if (unhurried) await db.idle();
        await clock.advance(1);
      }
      const waited = await turnUntil(clock, db, Promise.all(waiting), 5);
      await Promise.all(deciding);
      for (const [index, offset] of offsets.entries()) {
        if (offset < 0 && unhurried) expect(waited[index]!.status).toBe("submitted");
        // Either this call has it, or the very next one does, without waiting.
        expect(await approvals.wait(ids[index]!, { waitSeconds: 5 })).toMatchObject({
          status: "submitted",
          waitedMs: 0,
        });
      }
    }
    expect(deps.waiters.size).toBe(0);
  }, 120_000);
});
