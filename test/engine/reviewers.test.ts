import { expect, test } from "vitest";
import { verifyChain } from "../../src/approval/event.ts";
import {
  addReviewer,
  disableReviewer,
  ENROLMENT_SHOWN_MS,
  listReviewers,
  recentEnrolments,
} from "../../src/engine/reviewers.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Session } from "../../src/engine/engine.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { look } from "../../src/engine/view.ts";
import { loadEvents } from "../../src/store/events.ts";
import { anyReviewer } from "../../src/store/people.ts";
import { type DatabaseName, forEachDatabase } from "../support/databases.ts";
import { enrolWithPasskey, FROM, identityDeps, openSessionOf, PASSWORD } from "../support/identity.ts";
import { addTestAgent } from "../support/verbs.ts";

const BOTH: readonly DatabaseName[] = ["SQLite in memory", "PostgreSQL"];

async function ready(deps: EngineDeps, by: Session, id: string): Promise<string> {
  const { requestDigest } = (await look(deps, by.reviewer, id))!.approval;
  const prepared = await prepare(deps, by, { approvalId: id, decision: "submitted", requestDigest });
  if (prepared.kind !== "prepared") throw new Error(prepared.kind);
  return prepared.intentId;
}

forEachDatabase(
  "reviewers",
  (open) => {
    test("an added reviewer can sign in, and is noted with the operating-system user", async () => {
      const deps = identityDeps(await open());
      expect(await anyReviewer(deps.db, deps.workspace)).toBe(false);
      const anna = await addReviewer(deps, "olga", { name: " Anna ", password: PASSWORD });
      expect(anna).toMatchObject({
        workspace: "default",
        name: "Anna",
        enrolledAt: deps.now(),
        enrolledWay: "cli",
        enrolledBy: "olga",
        disabledAt: null,
        hasPassword: true,
        passkeys: 0,
      });
      expect((await openSessionOf(deps, "anna")).reviewer).toEqual(anna);
      expect(await anyReviewer(deps.db, deps.workspace)).toBe(true);
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(verifyChain(events)).toMatchObject({ ok: true });
      expect(events).toMatchObject([
        {
          type: "reviewer_enrolled",
          actor: { kind: "cli", id: "olga" },
          body: { reviewer: { id: anna.id, name: "Anna" }, way: "cli", by: "olga" },
        },
      ]);
      expect(JSON.stringify(events)).not.toContain(PASSWORD);
    });

    test.each([
      [{ name: "", password: PASSWORD }, "/name"],
      [{ name: "An\u202ena", password: PASSWORD }, "/name"],
      [{ name: "Anna", password: "short" }, "/password"],
    ])("a bad name or password is refused with its path, and nothing is stored (%#)", async (input, path) => {
      const deps = identityDeps(await open());
      await expect(addReviewer(deps, "olga", input)).rejects.toMatchObject({ code: "invalid_request", path });
      expect(await listReviewers(deps)).toEqual([]);
      expect(await loadEvents(deps.db, deps.workspace, "workspace")).toEqual([]);
    });

    test("two reviewers never share a name, at the same time or after disabling", async () => {
      const deps = identityDeps(await open());
      const outcomes = await Promise.allSettled(
        ["Anna", "ANNA", " anna "].map((name) => addReviewer(deps, "olga", { name, password: PASSWORD })),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      await disableReviewer(deps, "olga", "Anna");
      await expect(addReviewer(deps, "olga", { name: "Anna", password: PASSWORD })).rejects.toMatchObject({
        code: "invalid_request",
        path: "/name",
        message: expect.stringMatching(/exists already \(disabled/),
      });
    });

    test("disabling ends sessions and intents, is noted once, may be done twice, and keeps the person in the list", async () => {
      const deps = identityDeps(await open());
      await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
      const anna = await openSessionOf(deps, "Anna");
      const { id } = await approvalsOf(deps, await addTestAgent(deps)).request({ message: "Go", context: "1" });
      await ready(deps, anna, id);
      const disabled = await disableReviewer(deps, "petr", "ANNA");
      expect(disabled).toMatchObject({ name: "Anna", disabledAt: deps.now() });
      await deps.clock.advance(1_000);
      expect(await disableReviewer(deps, "petr", "Anna")).toEqual(disabled);
      expect(await listReviewers(deps)).toEqual([disabled]);
      expect(await anyReviewer(deps.db, deps.workspace)).toBe(false);
      expect(await deps.db.query("SELECT hash FROM sessions")).toEqual([]);
      expect(await deps.db.query("SELECT id FROM intents")).toEqual([]);
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(events.map(({ type, actor }) => `${type} ${actor.id}`)).toEqual([
        "reviewer_enrolled olga",
        "reviewer_disabled petr",
      ]);
      await expect(disableReviewer(deps, "petr", "Nobody")).rejects.toMatchObject({ code: "not_found" });
    });

    test("a decision that meets its reviewer's disabling is made before it or not at all", async () => {
      // On https, where a password also renews the session's proof: both write the same session's row.
      const deps = identityDeps(await open(), { proofWindowApplies: true });
      const approvals = approvalsOf(deps, await addTestAgent(deps));
      for (let round = 0; round < 10; round += 1) {
        const name = `Anna ${round}`;
        await addReviewer(deps, "olga", { name, password: PASSWORD });
        const anna = await openSessionOf(deps, name);
        const { id } = await approvals.request({ message: "Go", context: "1" });
        const intentId = await ready(deps, anna, id);
        const [decided] = await Promise.all([
          decide(deps, anna, intentId, { kind: "password", password: PASSWORD }, FROM),
          disableReviewer(deps, "petr", name),
        ]);
        expect((await approvals.status(id)).status).toBe(decided.kind === "decided" ? "submitted" : "pending");
        expect(await decide(deps, anna, intentId, { kind: "password", password: PASSWORD }, FROM)).toEqual({
          kind: "lapsed",
        });
      }
    });

    test("of ten who disable at once, one is noted", async () => {
      const deps = identityDeps(await open());
      await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
      await Promise.all(Array.from({ length: 10 }, () => disableReviewer(deps, "petr", "Anna")));
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(events.filter(({ type }) => type === "reviewer_disabled")).toHaveLength(1);
    });

    test("[T03] an enrolment is shown to every reviewer for seven days, with its way, the newest first", async () => {
      const deps = identityDeps(await open());
      const { session } = await enrolWithPasskey(deps);
      const enrolledAt = deps.now();
      await deps.clock.advance(ENROLMENT_SHOWN_MS);
      const cleo = await addReviewer(deps, "olga", { name: "Cleo", password: PASSWORD });
      expect(await recentEnrolments(deps)).toEqual([
        { id: cleo.id, name: "Cleo", enrolledAt: deps.now(), enrolledWay: "cli", enrolledBy: "olga" },
        { id: session.reviewer.id, name: "Anna", enrolledAt, enrolledWay: "web", enrolledBy: null },
      ]);
      await deps.clock.advance(1);
      expect((await recentEnrolments(deps)).map(({ name }) => name)).toEqual(["Cleo"]);
    });
  },
  BOTH,
);
