/** The writes that close an approval: each names the state it leaves behind and the deadline, whatever was read before. */
import { expect, test } from "vitest";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { closeCanceled, closeDecided, closeExpired, listDue, loadApproval } from "../../src/store/approvals.ts";
import type { Database } from "../../src/store/database.ts";
import { manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, verbDeps } from "../support/verbs.ts";

const WORKSPACE = "default";
const LIFE = 60_000;

forEachDatabase("closing an approval", (open) => {
  async function asked() {
    const clock = manualClock();
    const db = await open();
    const deps = verbDeps(db, clock, { now: () => clock.now() });
    const agent = await addTestAgent(deps);
    const { id } = await approvalsOf(deps, agent).request({ message: "Go", context: "1", expiresInSeconds: 60 });
    const { requestDigest } = (await loadApproval(db, WORKSPACE, id))!;
    return { db, id, agent: agent.id, at: clock.now(), requestDigest };
  }
  type Asked = Awaited<ReturnType<typeof asked>>;

  const decide = (
    { db, id, requestDigest }: Asked,
    now: number,
    over: { requestDigest?: string; workspace?: string } = {},
  ) =>
    inTransaction(db, (tx) =>
      closeDecided(tx, { workspace: WORKSPACE, id, requestDigest, decision: "submitted", now, ...over }),
    );
  const cancel = ({ db, id, agent }: Asked, now: number, by: string | null = agent) =>
    inTransaction(db, (tx) => closeCanceled(tx, { workspace: WORKSPACE, id, agent: by, reason: "why", now }));
  const expire = ({ db, id }: Asked, now: number) => inTransaction(db, (tx) => closeExpired(tx, WORKSPACE, id, now));
  const inTransaction = <T>(
    db: Database,
    body: (tx: Parameters<Parameters<Database["transaction"]>[0]>[0]) => Promise<T>,
  ) => db.transaction(body);
  const status = async ({ db, id }: Asked) => (await loadApproval(db, WORKSPACE, id))?.status;

  test("the last millisecond before the deadline decides and cancels; the deadline itself does neither, and expires", async () => {
    const late = await asked();
    expect(await expire(late, late.at + LIFE - 1)).toBeUndefined();
    expect(await listDue(late.db, WORKSPACE, late.at + LIFE - 1, 10)).toEqual([]);
    expect(await decide(late, late.at + LIFE)).toBeUndefined();
    expect(await cancel(late, late.at + LIFE)).toBeUndefined();
    expect(await cancel(late, late.at + LIFE, null)).toBeUndefined();
    expect(await status(late)).toBe("pending");
    expect(await listDue(late.db, WORKSPACE, late.at + LIFE, 10)).toEqual([{ id: late.id, expiresAt: late.at + LIFE }]);
    expect(await expire(late, late.at + LIFE)).toMatchObject({ status: "expired", closedAt: late.at + LIFE });

    const decided = await asked();
    expect(await decide(decided, decided.at + LIFE - 1)).toMatchObject({
      status: "submitted",
      closedAt: decided.at + LIFE - 1,
    });
    const canceled = await asked();
    expect(await cancel(canceled, canceled.at + LIFE - 1)).toMatchObject({ status: "canceled", reason: "why" });
  });

  test("what is closed is closed: no later write changes it", async () => {
    for (const close of [decide, cancel] as const) {
      const one = await asked();
      const first = await close(one, one.at + 1);
      expect(first).toBeDefined();
      expect(await decide(one, one.at + 2)).toBeUndefined();
      expect(await cancel(one, one.at + 2)).toBeUndefined();
      expect(await cancel(one, one.at + 2, null)).toBeUndefined();
      expect(await expire(one, one.at + LIFE)).toBeUndefined();
      expect(await loadApproval(one.db, WORKSPACE, one.id)).toEqual(first);
    }
  });

  test("a decision counts for the request that was shown, in its workspace; a cancel for the agent that asked", async () => {
    const one = await asked();
    expect(await decide(one, one.at, { requestDigest: `sha256:${"0".repeat(64)}` })).toBeUndefined();
    expect(await decide(one, one.at, { workspace: "second" })).toBeUndefined();
    expect(await cancel(one, one.at, "agent-of-another")).toBeUndefined();
    expect(await status(one)).toBe("pending");
    expect(await cancel(one, one.at, null)).toMatchObject({ status: "canceled" });
  });
});
