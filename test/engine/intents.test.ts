/** What an intent keeps, for how long, and when it is used up. */
import { expect, test } from "vitest";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Session } from "../../src/engine/engine.ts";
import { prepare, preparedIntent } from "../../src/engine/prepare.ts";
import { newTick } from "../../src/engine/tick.ts";
import { view } from "../../src/engine/view.ts";
import { manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

const FORM = {
  message: "Choose a host",
  requestedSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
};
const MINUTE = 60_000;

async function ready(deps: EngineDeps, by: Session, id: string): Promise<string> {
  const { approval } = (await view(deps, by.reviewer, id))!;
  const prepared = await prepare(deps, by, {
    approvalId: id,
    decision: "submitted",
    requestDigest: approval.requestDigest,
    answers: new Map([["host", ["db-7"]]]),
    comment: "at night",
  });
  if (prepared.kind !== "prepared") throw new Error(prepared.kind);
  return prepared.intentId;
}

const bodies = (deps: EngineDeps) => deps.db.query("SELECT answer, comment FROM intents");
const KEPT = [{ answer: '{"host":"db-7"}', comment: "at night" }];
const FORGOTTEN = [{ answer: null, comment: null }];

forEachDatabase(
  "an intent",
  (open) => {
    async function setUp() {
      const clock = manualClock();
      // Time is turned by hand alone: a database's own clock has no place here.
      const deps = verbDeps(await open(), clock, { now: () => clock.now() });
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      return { clock, deps, approvals, anna: await addTestReviewer(deps, "Anna") };
    }

    test("keeps answer and comment until it is burned; the decision has them from then on", async () => {
      const { deps, approvals, anna } = await setUp();
      const { id } = await approvals.request(FORM);
      const intentId = await ready(deps, anna, id);
      expect(await bodies(deps)).toEqual(KEPT);
      expect(await decide(deps, anna, intentId, RIGHT, "a")).toMatchObject({ kind: "decided" });
      expect(await bodies(deps)).toEqual(FORGOTTEN);
      expect(await approvals.result(id)).toMatchObject({
        answerText: '{"host":"db-7"}',
        decisions: [{ comment: "at night" }],
      });
      expect(await decide(deps, anna, intentId, RIGHT, "a")).toMatchObject({ kind: "closed" });
    });

    test("forgets answer and comment once it has lapsed, and goes an hour later", async () => {
      const { clock, deps, approvals, anna } = await setUp();
      const { id } = await approvals.request({ ...FORM, expiresInSeconds: 86_400 });
      const intentId = await ready(deps, anna, id);
      const tick = newTick(deps);
      await clock.advance(4 * MINUTE);
      await tick();
      expect(await bodies(deps)).toEqual(KEPT);
      await clock.advance(1 * MINUTE);
      await tick();
      expect(await bodies(deps)).toEqual(FORGOTTEN);
      for (const proof of [RIGHT, { kind: "password", password: "wrong" } as const])
        expect(await decide(deps, anna, intentId, proof, "a")).toEqual({ kind: "lapsed" });
      await clock.advance(59 * MINUTE);
      await tick();
      expect(await bodies(deps)).toHaveLength(1);
      await clock.advance(1 * MINUTE);
      await tick();
      expect(await bodies(deps)).toEqual([]);
    });

    test("is shown to the session that prepared it, until it is burned or has lapsed", async () => {
      const { clock, deps, approvals, anna } = await setUp();
      const bert = await addTestReviewer(deps, "Bert");
      const { id } = await approvals.request({ ...FORM, expiresInSeconds: 86_400 });
      const [burned, lapsing] = [await ready(deps, anna, id), await ready(deps, anna, id)];
      expect(await preparedIntent(deps, anna, burned)).toMatchObject({ answer: { host: "db-7" }, comment: "at night" });
      expect(await preparedIntent(deps, bert, burned)).toBeUndefined();
      await decide(deps, anna, burned, RIGHT, "a");
      expect(await preparedIntent(deps, anna, burned)).toBeUndefined();
      await clock.advance(5 * MINUTE - 1);
      expect(await preparedIntent(deps, anna, lapsing)).toBeDefined();
      await clock.advance(1);
      expect(await preparedIntent(deps, anna, lapsing)).toBeUndefined();
    });

    test("is not used up by a proof that is no longer good, and decides with a good one", async () => {
      const { deps, approvals, anna } = await setUp();
      const { id } = await approvals.request(FORM);
      const intentId = await ready(deps, anna, id);
      const revoked: EngineDeps = {
        ...deps,
        verifyProof: async () => ({
          ok: true,
          assurance: "user-verified",
          evidence: {},
          stillGood: async () => false,
          use: async () => undefined,
        }),
      };
      for (let press = 0; press < 2; press += 1)
        expect(await decide(revoked, anna, intentId, RIGHT, "a")).toMatchObject({ kind: "forbidden" });
      expect(await approvals.status(id)).toMatchObject({ status: "pending" });
      expect(await decide(deps, anna, intentId, RIGHT, "a")).toMatchObject({ kind: "decided" });
    });
  },
  ["SQLite file", "PostgreSQL"],
);
