/** What the frozen policy demands of a decision, and what the trail says of those who came too late. */
import { expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy } from "../../src/approval/approval.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Decided, Session } from "../../src/engine/engine.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { view } from "../../src/engine/view.ts";
import { loadEvents } from "../../src/store/events.ts";
import { manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

async function ready(deps: EngineDeps, by: Session, id: string): Promise<string> {
  const { approval } = (await view(deps, by.reviewer, id))!;
  const prepared = await prepare(deps, by, {
    approvalId: id,
    decision: "submitted",
    requestDigest: approval.requestDigest,
  });
  if (prepared.kind !== "prepared") throw new Error(prepared.kind);
  return prepared.intentId;
}

/** Prepares and decides in one press, with a right password. */
async function press(deps: EngineDeps, by: Session, id: string): Promise<Decided> {
  return decide(deps, by, await ready(deps, by, id), RIGHT, "a");
}

forEachDatabase(
  "a policy",
  (open) => {
    async function setUp(policy: Partial<Policy>) {
      const clock = manualClock();
      const deps = verbDeps(await open(), clock, { policy: { ...DEFAULT_POLICY, ...policy } });
      const owner = await addTestReviewer(deps, "Olga");
      const other = await addTestReviewer(deps, "Anna");
      const approvals = approvalsOf(deps, await addTestAgent(deps, "deployer", owner.reviewer));
      const { id } = await approvals.request({ message: "Go", context: "1" });
      return { clock, deps, owner, other, approvals, id };
    }

    test("of four eyes keeps the owner of the agent from deciding, and nobody else", async () => {
      const { deps, owner, other, approvals, id } = await setUp({ fourEyes: true });
      expect(await press(deps, owner, id)).toMatchObject({ kind: "forbidden" });
      expect(await approvals.status(id)).toMatchObject({ status: "pending" });
      expect(await press(deps, other, id)).toMatchObject({ kind: "decided" });
    });

    test("without four eyes lets the owner decide, and the trail says that it was the owner", async () => {
      const { deps, owner, id } = await setUp({});
      expect(await press(deps, owner, id)).toMatchObject({ kind: "decided" });
      const events = await loadEvents(deps.db, deps.workspace, id);
      expect(events.find(({ type }) => type === "decided")?.body).toMatchObject({
        byOwner: true,
        decision: "submitted",
      });
    });

    test("that demands user verification takes no password", async () => {
      const { deps, other, approvals, id } = await setUp({ minAssurance: "user-verified" });
      expect(await press(deps, other, id)).toEqual({ kind: "proof_required", reason: "missing" });
      expect(await approvals.status(id)).toMatchObject({ status: "pending" });
    });

    test("the one who loses between look and write is told who won, and noted once", async () => {
      const { deps, owner, other, id } = await setUp({});
      const late = await ready(deps, owner, id);
      // The proof takes as long as the other's whole decision.
      const slow: EngineDeps = {
        ...deps,
        async verifyProof(asked) {
          expect(await press(deps, other, id)).toMatchObject({ kind: "decided" });
          return deps.verifyProof(asked);
        },
      };
      expect(await decide(slow, owner, late, RIGHT, "a")).toMatchObject({
        kind: "closed",
        viewed: { approval: { status: "submitted" }, closedBy: { name: "Anna" } },
      });
      const events = await loadEvents(deps.db, deps.workspace, id);
      expect(events.map(({ type, actor }) => `${type} ${actor.name}`)).toEqual([
        "created deployer",
        "viewed Olga",
        "viewed Anna",
        "decided Anna",
        "decision_refused Olga",
      ]);
    });

    test("an intent whose time passes while its proof is checked decides nothing", async () => {
      const { clock, deps, other, approvals, id } = await setUp({});
      const late = await ready(deps, other, id);
      const slow: EngineDeps = {
        ...deps,
        async verifyProof(asked) {
          clock.jump(300_000);
          return deps.verifyProof(asked);
        },
      };
      expect(await decide(slow, other, late, RIGHT, "a")).toEqual({ kind: "lapsed" });
      expect(await approvals.status(id)).toMatchObject({ status: "pending" });
    });
  },
  ["SQLite file", "PostgreSQL"],
);
