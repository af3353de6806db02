/** Two reviewers, a cancel and an expiry at once: one outcome, one closing event, and the losers are told who won. */
import { expect, test } from "vitest";
import { verifyChain } from "../../src/approval/event.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Decided, Session } from "../../src/engine/engine.ts";
import { expireDue } from "../../src/engine/expire.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { view } from "../../src/engine/view.ts";
import { loadDecisions } from "../../src/store/decisions.ts";
import { loadEvents } from "../../src/store/events.ts";
import { manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

const RACES = 1_000;
const AT_ONCE = 25;
const CLOSING = ["decided", "canceled", "expired"];

const SEED = 20_261_130;

/** Numbers in [0, 1) that are the same in every run (a linear congruential generator, Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Some turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function prepared(
  deps: EngineDeps,
  session: Session,
  id: string,
  decision: "submitted" | "declined",
): Promise<string> {
  const { approval } = (await view(deps, session.reviewer, id))!;
  const result = await prepare(deps, session, { approvalId: id, decision, requestDigest: approval.requestDigest });
  if (result.kind !== "prepared") throw new Error(result.kind);
  return result.intentId;
}

forEachDatabase(
  "races",
  (open, { database }) => {
    test(`${RACES} approvals with two reviewers, cancel and expiry at once: one outcome each, one closing event each, losers told who won`, async () => {
      const clock = manualClock();
      const deps = verbDeps(await open(), clock);
      const agent = await addTestAgent(deps);
      const approvals = approvalsOf(deps, agent);
      const [anna, bert] = [await addTestReviewer(deps, "Anna"), await addTestReviewer(deps, "Bert")];
      const outcomes = new Map<string, number>();
      const random = seeded(SEED);
      const spread = database === "PostgreSQL" ? 200 : 12;

      for (let start = 0; start < RACES; start += AT_ONCE) {
        const ids = await Promise.all(
          Array.from(
            { length: AT_ONCE },
            async () => (await approvals.request({ message: "Race", context: "1", expiresInSeconds: 60 })).id,
          ),
        );
        const intents = await Promise.all(
          ids.map(
            async (id) =>
              [await prepared(deps, anna, id, "submitted"), await prepared(deps, bert, id, "declined")] as const,
          ),
        );
        // Half of the batches are run over the deadline itself: the clock moves while they are under way.
        const overDeadline = (start / AT_ONCE) % 2 === 1;
        if (overDeadline) await clock.advance(59_999);
        const racing = ids.map((id, index) => {
          const [yes, no] = intents[index]!;
          const attempts = [
            () => decide(deps, anna, yes, RIGHT, "a"),
            () => decide(deps, bert, no, RIGHT, "b"),
            () => approvals.cancel(id),
          ];
          // Each starts within a few answers of the database, so that now one and now another comes first.
          return Promise.all(
            attempts.map(async (attempt) => {
              await turns(Math.floor(random() * spread));
              return attempt();
            }),
          );
        });
        if (overDeadline) await turns(spread / 2);
        if (overDeadline) clock.jump(1);
        const expiring = expireDue(deps);
        const answers = (await Promise.all(racing)) as { kind: string }[][];
        await expiring;
        // A decision that had read the clock before it moved may still be under way in the store's queue.
        await expireDue(deps);

        for (const [index, id] of ids.entries()) {
          const { status } = await approvals.status(id);
          outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
          const events = await loadEvents(deps.db, deps.workspace, id);
          expect(verifyChain(events)).toMatchObject({ ok: true });
          const closing = events.filter((event) => CLOSING.includes(event.type));
          expect(closing).toHaveLength(1);
          const decisions = await loadDecisions(deps.db, deps.workspace, id);
          expect(decisions).toHaveLength(status === "submitted" || status === "declined" ? 1 : 0);
          const decided = answers[index]!.filter(
            (answer): answer is Decided =>
              answer.kind === "decided" || answer.kind === "closed" || answer.kind === "lapsed",
          );
          expect(decided.filter((answer) => answer.kind === "decided")).toHaveLength(decisions.length);
          for (const answer of decided) {
            if (answer.kind !== "closed") continue;
            expect(answer.viewed.approval.status).toBe(status);
            if (status !== "expired") expect(answer.viewed.closedBy?.name).toBe(closing[0]!.actor.name);
          }
          expect(decided.filter((answer) => answer.kind === "lapsed")).toEqual([]);
        }
      }
      // The races are real: more than one kind of attempt has won.
      expect([...outcomes.keys()].sort()).toEqual(["canceled", "declined", "expired", "submitted"]);
      expect([...outcomes.values()].reduce((sum, count) => sum + count)).toBe(RACES);
    }, 120_000);

    test("[BR 55] [BR 56] [BR 59] [BR 61] twenty posts of one decision leave one row and one event, and each is told of the same decision", async () => {
      const deps = verbDeps(await open(), manualClock());
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      const anna = await addTestReviewer(deps, "Anna");
      const { id } = await approvals.request({ message: "Once", context: "1" });
      const intent = await prepared(deps, anna, id, "submitted");
      const answers = await Promise.all(Array.from({ length: 20 }, () => decide(deps, anna, intent, RIGHT, "a")));
      expect(answers.filter(({ kind }) => kind === "decided")).toHaveLength(1);
      for (const answer of answers) {
        if (answer.kind === "decided") continue;
        expect(answer).toMatchObject({
          kind: "closed",
          viewed: { approval: { status: "submitted" }, closedBy: { name: "Anna" } },
        });
      }
      expect(await loadDecisions(deps.db, deps.workspace, id)).toHaveLength(1);
      const events = await loadEvents(deps.db, deps.workspace, id);
      expect(events.filter(({ type }) => CLOSING.includes(type))).toHaveLength(1);
    });

    test("one key from twenty calls at once makes one approval", async () => {
      const deps = verbDeps(await open(), manualClock());
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      const made = await Promise.all(
        Array.from({ length: 20 }, () => approvals.request({ message: "Once", context: "1", idempotencyKey: "k" })),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(made.filter(({ repeated }) => !repeated)).toHaveLength(1);
    });

    test("one claim from twenty keys at once has one winner", async () => {
      const deps = verbDeps(await open(), manualClock());
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      const anna = await addTestReviewer(deps, "Anna");
      const { id } = await approvals.request({ message: "Once", context: "1" });
      await decide(deps, anna, await prepared(deps, anna, id, "submitted"), RIGHT, "a");
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) => approvals.result(id, { claimKey: `run-${n}` })),
      );
      expect(claims.filter((claim) => claim.kind === "decided")).toHaveLength(1);
      expect(claims.filter((claim) => claim.kind === "already_claimed")).toHaveLength(19);
      const events = await loadEvents(deps.db, deps.workspace, id);
      expect(events.map(({ type }) => type).filter((type) => type === "result_read" || type === "claimed")).toEqual([
        "result_read",
        "claimed",
      ]);
    });
  },
  ["SQLite file", "PostgreSQL"],
);
