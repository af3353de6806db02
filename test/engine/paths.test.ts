/** Whatever is done in whatever order: an approval closes once, and never turns from closed into something else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Status } from "../../src/approval/approval.ts";
import { verifyChain } from "../../src/approval/event.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import { expireDue } from "../../src/engine/expire.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { loadApproval } from "../../src/store/approvals.ts";
import { loadEvents } from "../../src/store/events.ts";
import { openDatabase } from "../../src/store/open.ts";
import { manualClock } from "../support/clock.ts";
import { addTestAgent, addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

const step = fc.oneof(
  fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 45_000 }) }),
  fc.record({
    do: fc.constant("prepare" as const),
    by: fc.integer({ min: 0, max: 1 }),
    decision: fc.constantFrom("submitted" as const, "declined" as const),
  }),
  fc.record({
    do: fc.constant("decide" as const),
    by: fc.integer({ min: 0, max: 1 }),
    which: fc.nat(5),
    right: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom("cancel" as const, "tick" as const, "result" as const) }),
);

test("[BR 69] no sequence of steps leads out of a closed state, and none from expired to decided", async () => {
  await using db = await openDatabase({ kind: "sqlite", path: ":memory:" });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const clock = manualClock();
      const deps = verbDeps(db, clock);
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      const people = [await addTestReviewer(deps, "Anna"), await addTestReviewer(deps, "Bert")];
      const { id } = await approvals.request({ message: "Steps", context: "1", expiresInSeconds: 60 });
      const { requestDigest } = (await loadApproval(db, "default", id))!;
      const intents: string[][] = [[], []];
      let closed: Status | undefined;
      for (const each of steps) {
        switch (each.do) {
          case "advance":
            await clock.advance(each.ms);
            break;
          case "prepare": {
            const prepared = await prepare(deps, people[each.by]!, {
              approvalId: id,
              decision: each.decision,
              requestDigest,
            });
            if (prepared.kind === "prepared") intents[each.by]!.push(prepared.intentId);
            break;
          }
          case "decide": {
            const intent = intents[each.by]![each.which];
            if (intent !== undefined)
              await decide(deps, people[each.by]!, intent, each.right ? RIGHT : { kind: "session" }, "a");
            break;
          }
          case "cancel":
            await approvals.cancel(id);
            break;
          case "tick":
            await expireDue(deps);
            break;
          case "result":
            await approvals.result(id);
            break;
        }
        const { status, decision } = await approvals.status(id);
        if (closed === undefined) closed = status === "pending" ? undefined : status;
        else expect(status === "consumed" ? decision : status).toBe(closed);
        if (clock.now() >= Date.UTC(2026, 10, 30, 12, 1, 0)) expect(status).not.toBe("pending");
      }
      const events = await loadEvents(db, "default", id);
      expect(verifyChain(events)).toMatchObject({ ok: true });
      expect(events.filter(({ type }) => ["decided", "canceled", "expired"].includes(type)).length).toBeLessThanOrEqual(
        1,
      );
    }),
    { numRuns: 200 },
  );
}, 60_000);
