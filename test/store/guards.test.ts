/** What the statements themselves refuse, whoever has looked before: sessions and intents that are no longer good. */
import { expect, test } from "vitest";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { burnIntent } from "../../src/store/intents.ts";
import { disablePerson, insertMembership, insertPerson } from "../../src/store/people.ts";
import { insertSession, isSessionLive, loadSession, SESSION_LIFETIME_MS } from "../../src/store/sessions.ts";
import { loadApproval } from "../../src/store/approvals.ts";
import { manualClock } from "../support/clock.ts";
import { forEachDatabase } from "../support/databases.ts";
import { addTestAgent, addTestReviewer, verbDeps } from "../support/verbs.ts";

const NOW = 1_700_000_000_000;
const WORKSPACE = "default";

forEachDatabase("what the store refuses by itself", (open) => {
  async function person(role: "reviewer" | "auditor") {
    const db = await open();
    const one = { workspace: WORKSPACE, id: "p", name: "P", nameKey: "p", enrolledAt: NOW, enrolledBy: null } as const;
    await db.transaction(async (tx) => {
      await insertPerson(tx, { ...one, enrolledWay: "web" });
      await insertMembership(tx, WORKSPACE, "p", role, NOW);
    });
    const session = { hash: "h", person: "p", csrf: "c", proof: "password", userAgent: null } as const;
    const opened = await db.transaction((tx) => insertSession(tx, WORKSPACE, session, NOW));
    const live = (now = NOW, by = "p", workspace = WORKSPACE) =>
      db.transaction((tx) => isSessionLive(tx, workspace, "h", by, now));
    return { db, opened, live };
  }

  test("a session is live until its end, for its own person, in its own workspace", async () => {
    const { opened, live } = await person("reviewer");
    expect(opened).toBe(true);
    expect(await live()).toBe(true);
    expect(await live(NOW + SESSION_LIFETIME_MS - 1)).toBe(true);
    expect(await live(NOW + SESSION_LIFETIME_MS)).toBe(false);
    expect(await live(NOW, "q")).toBe(false);
    expect(await live(NOW, "p", "second")).toBe(false);
  });

  test("a session of somebody disabled is not live, even while its row is there", async () => {
    const { db, live } = await person("reviewer");
    await db.transaction((tx) => disablePerson(tx, WORKSPACE, "p", NOW));
    expect(await db.query("SELECT hash FROM sessions")).toHaveLength(1);
    expect(await live()).toBe(false);
    expect(await loadSession(db, WORKSPACE, "h", "localhost", NOW)).toBeUndefined();
  });

  test("an auditor opens no session, and a reviewer who becomes one has none any more", async () => {
    expect((await person("auditor")).opened).toBe(false);
    const { db, live } = await person("reviewer");
    expect(await loadSession(db, WORKSPACE, "h", "localhost", NOW)).toBeDefined();
    await db.query("UPDATE memberships SET role = 'auditor' WHERE person = 'p'");
    expect(await live()).toBe(false);
    expect(await loadSession(db, WORKSPACE, "h", "localhost", NOW)).toBeUndefined();
  });

  test("an intent burns once, in its own session, before its end", async () => {
    const clock = manualClock();
    const deps = verbDeps(await open(), clock, { now: () => clock.now() });
    const anna = await addTestReviewer(deps, "Anna");
    const { id } = await approvalsOf(deps, await addTestAgent(deps)).request({ message: "Go", context: "1" });
    const { requestDigest } = (await loadApproval(deps.db, WORKSPACE, id))!;
    const prepared = await prepare(deps, anna, { approvalId: id, decision: "declined", requestDigest });
    if (prepared.kind !== "prepared") throw new Error(prepared.kind);
    const burn = (session: string, now: number) =>
      deps.db.transaction((tx) => burnIntent(tx, WORKSPACE, session, prepared.intentId, now));
    expect(await burn("another", clock.now())).toBe(false);
    expect(await burn(anna.hash, prepared.intent.expiresAt)).toBe(false);
    expect(await burn(anna.hash, prepared.intent.expiresAt - 1)).toBe(true);
    expect(await burn(anna.hash, prepared.intent.expiresAt - 1)).toBe(false);
  });
});
