/** The tick: what time alone brings about is written down, and what has ended by itself is swept, once a minute. */
import { expect, test } from "vitest";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { addReviewer } from "../../src/engine/reviewers.ts";
import { beginPasskeySignIn } from "../../src/engine/sign_in_passkey.ts";
import { newTick } from "../../src/engine/tick.ts";
import { loadEvents } from "../../src/store/events.ts";
import { forEachDatabase } from "../support/databases.ts";
import { identityDeps, openSessionOf, PASSWORD } from "../support/identity.ts";
import { addTestAgent } from "../support/verbs.ts";

forEachDatabase(
  "the tick",
  (open) => {
    test("writes each due expiry once, whoever else ticks, and tells who listens", async () => {
      const deps = identityDeps(await open());
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      const { id } = await approvals.request({ message: "Go", context: "1", expiresInSeconds: 60 });
      const told: string[] = [];
      deps.closings.listen((closed) => told.push(closed));
      const [one, other] = [newTick(deps), newTick(deps)];
      await one();
      expect(told).toEqual([]);
      await deps.clock.advance(60_000);
      await Promise.all([one(), other()]);
      await one();
      expect(told).toEqual([id]);
      const events = await loadEvents(deps.db, deps.workspace, id);
      expect(events.map(({ type, at }) => [type, at])).toEqual([
        ["created", deps.now() - 60_000],
        ["expired", deps.now()],
      ]);
    });

    test("sweeps ended sessions and begun ceremonies, and leaves live ones", async () => {
      const deps = identityDeps(await open());
      await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
      const left = async () => [
        (await deps.db.query("SELECT hash FROM sessions")).length,
        (await deps.db.query("SELECT id FROM challenges")).length,
      ];
      await openSessionOf(deps, "Anna");
      await beginPasskeySignIn(deps, "127.0.0.1");
      const tick = newTick(deps);
      await tick();
      expect(await left()).toEqual([1, 1]);
      await deps.clock.advance(5 * 60_000);
      await tick();
      expect(await left()).toEqual([1, 0]);
      await deps.clock.advance(12 * 3_600_000);
      await openSessionOf(deps, "Anna");
      await tick();
      expect(await left()).toEqual([1, 0]);
    });
  },
  ["SQLite file", "PostgreSQL"],
);
