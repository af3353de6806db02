/** Two servers over one PostgreSQL: what closes on one ends the waits of the other, by the database's own message. */
import { expect, test } from "vitest";
import type { Approvals } from "../../src/approval/approvals.ts";
import { openEngine } from "../../src/engine/open_engine.ts";
import type { Engine, Session } from "../../src/engine/engine.ts";
import { forEachDatabase } from "../support/databases.ts";
import { FROM, identityDeps, openSessionOf, PASSWORD } from "../support/identity.ts";

forEachDatabase(
  "two nodes",
  (_open, { place }) => {
    async function setUp() {
      const at = await place();
      const [near, far] = [identityDeps(await at.open()), identityDeps(await at.open())];
      const engines: readonly [Engine, Engine] = [await openEngine(near), await openEngine(far)];
      await engines[0].operating("olga").addReviewer({ name: "Anna", password: PASSWORD });
      const { agent } = await engines[0].operating("olga").addAgent({ name: "deployer" });
      const anna = await openSessionOf(near, "Anna");
      return {
        near,
        far,
        engine: engines[0],
        anna,
        here: engines[0].approvalsOf(agent),
        there: engines[1].approvalsOf(agent),
        closedThere: (listener: (id: string) => void) => engines[1].onClosed(listener),
        async [Symbol.asyncDispose]() {
          for (const engine of engines) await engine[Symbol.asyncDispose]();
        },
      };
    }

    async function decide(engine: Engine, anna: Session, id: string): Promise<void> {
      const { approval } = (await engine.reviewing.view(anna, id))!;
      const { requestDigest } = approval;
      const prepared = await engine.reviewing.prepare(anna, { approvalId: id, decision: "submitted", requestDigest });
      if (prepared.kind !== "prepared") throw new Error(prepared.kind);
      const proof = { kind: "password", password: PASSWORD } as const;
      expect(await engine.reviewing.decide(anna, prepared.intentId, proof, FROM)).toMatchObject({ kind: "decided" });
    }

    type World = Awaited<ReturnType<typeof setUp>>;
    const ways: readonly [string, (world: World, id: string, here: Approvals) => Promise<unknown>][] = [
      ["submitted", ({ engine, anna }, id) => decide(engine, anna, id)],
      ["canceled", (_world, id, here) => here.cancel(id)],
    ];

    test.each(ways)("%s on one node ends the wait on the other at once, before any poll", async (status, close) => {
      await using world = await setUp();
      const { id } = await world.here.request({ message: "Go", context: "1" });
      const told: string[] = [];
      world.closedThere((closed) => told.push(closed));
      const waiting = world.there.wait(id);
      await close(world, id, world.here);
      // The other node's clock stands still: neither its poll nor the window's end can come.
      expect(await waiting).toMatchObject({ status, waitedMs: 0 });
      expect(told).toEqual([id]);
    });

    test("an expiry that one node writes down is told to the other", async () => {
      await using world = await setUp();
      const { id } = await world.here.request({ message: "Go", context: "1", expiresInSeconds: 60 });
      const heard = new Promise<string>((resolve) => world.closedThere(resolve));
      await world.near.clock.advance(60_000);
      await world.engine.tick();
      expect(await heard).toBe(id);
    });

    test("an approval asked on one node is decided, read and claimed on the other, once", async () => {
      await using world = await setUp();
      const { id } = await world.there.request({ message: "Go", context: "1" });
      await decide(world.engine, world.anna, id);
      const claims = await Promise.all(
        [world.here, world.there].map((approvals, node) => approvals.result(id, { claimKey: `node-${node}` })),
      );
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual(["already_claimed", "decided"]);
    });
  },
  ["PostgreSQL"],
);
