import { expect, test } from "vitest";
import { verifyChain } from "../../src/approval/event.ts";
import { addAgent, listAgents, revokeAgent, rotateAgent } from "../../src/engine/agents.ts";
import { authenticate } from "../../src/engine/authenticate.ts";
import { addReviewer, disableReviewer } from "../../src/engine/reviewers.ts";
import type { Database } from "../../src/store/database.ts";
import { loadEvents } from "../../src/store/events.ts";
import { type DatabaseName, forEachDatabase } from "../support/databases.ts";
import { identityDeps, type IdentityDeps, PASSWORD } from "../support/identity.ts";

const BOTH: readonly DatabaseName[] = ["SQLite in memory", "PostgreSQL"];
const DAY = 24 * 3_600_000;

forEachDatabase(
  "agents",
  (open) => {
    async function fresh(): Promise<IdentityDeps> {
      return identityDeps(await open());
    }
    const add = (deps: IdentityDeps, input: Parameters<typeof addAgent>[2]) => addAgent(deps, "olga", input);

    test("an added agent is known by its token, which is stored only as a hash", async () => {
      const deps = await fresh();
      const { agent, token } = await add(deps, { name: " deployer " });
      expect(agent).toMatchObject({ workspace: "default", name: "deployer", owner: null });
      expect(await authenticate(deps, token)).toEqual(agent);
      const rows = JSON.stringify([
        await deps.db.query("SELECT * FROM agent_tokens"),
        await loadEvents(deps.db, "default", "workspace"),
      ]);
      expect(rows).not.toContain(token);
      expect(rows).not.toContain(token.slice(4, 47));
    });

    test("[BR 83] an agent has the owner the operator named, by the reviewer's name", async () => {
      const deps = await fresh();
      const anna = await addReviewer(deps, "olga", { name: "Anna Bär", password: PASSWORD });
      const { agent, token } = await add(deps, { name: "deployer", owner: "anna bär" });
      expect(agent.owner).toEqual({ id: anna.id, name: "Anna Bär" });
      expect(await authenticate(deps, token)).toEqual(agent);
      expect((await add(deps, { name: "other" })).agent.owner).toBeNull();
      // Whom an agent works for stays true when that person may no longer decide.
      await disableReviewer(deps, "olga", "Anna Bär");
      expect(await authenticate(deps, token)).toEqual(agent);
      await expect(add(deps, { name: "third", owner: "Anna Bär" })).rejects.toMatchObject({
        code: "invalid_request",
        path: "/owner",
      });
      await expect(add(deps, { name: "third", owner: "Nobody" })).rejects.toMatchObject({
        code: "not_found",
        path: "/owner",
      });
    });

    test("two agents never share a name, and the second is told what to do", async () => {
      const deps = await fresh();
      await add(deps, { name: "Deployer" });
      await expect(add(deps, { name: "deployer" })).rejects.toMatchObject({
        code: "invalid_request",
        path: "/name",
        message: expect.stringMatching(/named Deployer exists already.*agent rotate/),
      });
      await revokeAgent(deps, "olga", "deployer");
      await expect(add(deps, { name: "deployer" })).rejects.toMatchObject({
        message: expect.stringMatching(/revoked.*another name/),
      });
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => add(deps, { name: "Racer" })));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test.each(["", "x".repeat(81), "dep\u200bloyer", "dep\0loyer", "dep\nloyer"])(
      "refuses a name that cannot be read (%#)",
      async (name) => {
        await expect(add(await fresh(), { name })).rejects.toMatchObject({ code: "invalid_request", path: "/name" });
      },
    );

    test("of ten rotations at once, the token of one is good afterwards", async () => {
      const deps = await fresh();
      await add(deps, { name: "deployer" });
      const made = await Promise.all(Array.from({ length: 10 }, () => rotateAgent(deps, "olga", "deployer")));
      const found = await Promise.all(made.map(({ token }) => authenticate(deps, token)));
      expect(found.filter((agent) => agent !== undefined)).toHaveLength(1);
    });

    test("a token with an expiry ends then", async () => {
      const deps = await fresh();
      const { token } = await add(deps, { name: "deployer", expiresInDays: 2 });
      await deps.clock.advance(2 * DAY - 1);
      expect(await authenticate(deps, token)).toBeDefined();
      await deps.clock.advance(1);
      expect(await authenticate(deps, token)).toBeUndefined();
      for (const expiresInDays of [0, -1, 1.5, Number.NaN, Infinity, 3_651]) {
        await expect(add(deps, { name: "other", expiresInDays })).rejects.toMatchObject({
          code: "invalid_request",
          path: "/expiresInDays",
        });
      }
    });

    test("rotating gives a new token of the same lifetime and ends the old ones at once", async () => {
      const deps = await fresh();
      const { agent, token } = await add(deps, { name: "deployer", expiresInDays: 2 });
      await deps.clock.advance(DAY);
      const rotated = await rotateAgent(deps, "olga", "DEPLOYER");
      expect(rotated.agent).toEqual(agent);
      expect(await authenticate(deps, token)).toBeUndefined();
      await deps.clock.advance(2 * DAY - 1);
      expect(await authenticate(deps, rotated.token)).toEqual(agent);
      await deps.clock.advance(1);
      expect(await authenticate(deps, rotated.token)).toBeUndefined();
    });

    test("revoking ends every token at once, may be done twice, and cannot be undone by rotating", async () => {
      const deps = await fresh();
      const { agent, token } = await add(deps, { name: "deployer" });
      expect(await revokeAgent(deps, "olga", "deployer")).toEqual(agent);
      expect(await revokeAgent(deps, "olga", "deployer")).toEqual(agent);
      expect(await authenticate(deps, token)).toBeUndefined();
      await expect(rotateAgent(deps, "olga", "deployer")).rejects.toMatchObject({ code: "forbidden" });
      await expect(revokeAgent(deps, "olga", "unknown")).rejects.toMatchObject({ code: "not_found" });
    });

    test("every change is noted once, with the operating-system user", async () => {
      const deps = await fresh();
      await add(deps, { name: "deployer" });
      await rotateAgent(deps, "olga", "deployer");
      await revokeAgent(deps, "petr", "deployer");
      await revokeAgent(deps, "petr", "deployer");
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(verifyChain(events)).toMatchObject({ ok: true });
      expect(events.map(({ type, actor }) => `${type} ${actor.kind} ${actor.id}`)).toEqual([
        "agent_added cli olga",
        "agent_rotated cli olga",
        "agent_revoked cli petr",
      ]);
    });

    test("the last use is noted, once a minute at most, and shown in the list", async () => {
      const deps = await fresh();
      const { token } = await add(deps, { name: "deployer" });
      const lastUsedAt = async (): Promise<number | null | undefined> => (await listAgents(deps))[0]?.lastUsedAt;
      expect(await lastUsedAt()).toBeNull();
      const first = deps.now();
      await authenticate(deps, token);
      await deps.clock.advance(59_999);
      await authenticate(deps, token);
      expect(await lastUsedAt()).toBe(first);
      await deps.clock.advance(1);
      await authenticate(deps, token);
      expect(await lastUsedAt()).toBe(first + 60_000);
    });

    test("the list shows all of them in the order they came, with owner and revocation", async () => {
      const deps = await fresh();
      await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
      await add(deps, { name: "first", owner: "Anna" });
      await deps.clock.advance(1);
      await add(deps, { name: "second" });
      await revokeAgent(deps, "olga", "second");
      expect(await listAgents(deps)).toMatchObject([
        { name: "first", owner: { name: "Anna" }, revokedAt: null },
        { name: "second", owner: null, revokedAt: deps.now() },
      ]);
    });

    test("a token is good in its own workspace only", async () => {
      const deps = await fresh();
      const { token } = await add(deps, { name: "deployer" });
      await deps.db.query("INSERT INTO workspaces (id, name, created_at) VALUES ('other', 'Other', 0)");
      expect(await authenticate({ ...deps, workspace: "other" }, token)).toBeUndefined();
    });
  },
  BOTH,
);

forEachDatabase(
  "authenticating",
  (open) => {
    test("takes one read a call, one write a minute, and nothing for text that is no token", async () => {
      const statements: string[] = [];
      const db = await open();
      const counting: Database = {
        ...db,
        dialect: db.dialect,
        clockOffsetMs: () => db.clockOffsetMs(),
        transaction: (body) => db.transaction(body),
        query: (sql, params) => {
          statements.push(sql.trimStart().slice(0, 6));
          return db.query(sql, params);
        },
        [Symbol.asyncDispose]: async () => undefined,
      };
      const deps = identityDeps(counting);
      const { token } = await addAgent(deps, "olga", { name: "deployer" });
      statements.length = 0;
      await authenticate(deps, token);
      expect(statements).toEqual(["SELECT", "UPDATE"]);
      statements.length = 0;
      for (let call = 0; call < 10; call += 1) await authenticate(deps, token);
      expect(statements).toEqual(Array(10).fill("SELECT"));
      statements.length = 0;
      for (const text of ["", "csk_", `csk_${"x".repeat(49)}`, `${token} `, "\0"])
        expect(await authenticate(deps, text)).toBeUndefined();
      expect(statements).toEqual([]);
    });

    test("goes on while the store cannot be written: only the note of the use is lost", async () => {
      const db = await open();
      const deps = identityDeps(db);
      const { agent, token } = await addAgent(deps, "olga", { name: "deployer" });
      await db.query("PRAGMA query_only = ON");
      expect(await authenticate(deps, token)).toEqual(agent);
      await expect(rotateAgent(deps, "olga", "deployer")).rejects.toThrow();
      await db.query("PRAGMA query_only = OFF");
      expect((await listAgents(deps))[0]?.lastUsedAt).toBeNull();
      expect(await authenticate(deps, token)).toEqual(agent);
      expect((await listAgents(deps))[0]?.lastUsedAt).toBe(deps.now());
    });
  },
  ["SQLite in memory"],
);
