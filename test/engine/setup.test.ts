import { expect, test } from "vitest";
import { verifyChain } from "../../src/approval/event.ts";
import { addReviewer, disableReviewer } from "../../src/engine/reviewers.ts";
import { session } from "../../src/engine/session.ts";
import { setupOpen, setUpWithPassword } from "../../src/engine/setup.ts";
import { makeSetupCode, SETUP_CODE_MS } from "../../src/engine/setup_code.ts";
import { beginPasskeySetup, setUpWithPasskey } from "../../src/engine/setup_passkey.ts";
import { dropLapsedIdentity } from "../../src/engine/drop_lapsed.ts";
import { loadEvents } from "../../src/store/events.ts";
import { anyReviewer } from "../../src/store/people.ts";
import { Authenticator, type Tampering } from "../support/authenticator.ts";
import { type DatabaseName, forEachDatabase } from "../support/databases.ts";
import { enrolled, FROM, identityDeps, type IdentityDeps, PASSWORD } from "../support/identity.ts";

const BOTH: readonly DatabaseName[] = ["SQLite in memory", "PostgreSQL"];
const WRONG = "00000-00000-00000";

async function people(deps: IdentityDeps): Promise<unknown[]> {
  return deps.db.query("SELECT name, enrolled_way, enrolled_by FROM people WHERE workspace = $1", [deps.workspace]);
}

forEachDatabase(
  "setting up the first reviewer with a password",
  (open) => {
    async function withCode(over = {}): Promise<{ deps: IdentityDeps; code: string }> {
      const deps = identityDeps(await open(), over);
      return { deps, code: (await makeSetupCode(deps, "olga")).code };
    }
    const input = (code: string, more = {}) => ({ code, name: "Anna", password: PASSWORD, from: FROM, ...more });

    test("enrols with the code, signs in, and closes the setup for good", async () => {
      const { deps, code } = await withCode();
      expect(await setupOpen(deps)).toBe(true);
      const outcome = await setUpWithPassword(deps, input(code, { name: "  Anna  Bär " }));
      expect(enrolled(outcome)).toMatchObject({
        reviewer: { name: "Anna Bär", enrolledWay: "web", enrolledBy: null, enrolledAt: deps.now(), hasPassword: true },
        proof: "password",
      });
      if (outcome.kind === "enrolled") expect(await session(deps, outcome.token)).toEqual(outcome.session);
      expect(await setupOpen(deps)).toBe(false);
      expect(await anyReviewer(deps.db, deps.workspace)).toBe(true);
      expect(await setUpWithPassword(deps, input(code, { name: "Mallory" }))).toEqual({ kind: "closed" });
      await expect(makeSetupCode(deps, "olga")).rejects.toMatchObject({ code: "forbidden" });
    });

    test("is noted in the workspace's trail with its way, without a code or a password", async () => {
      const { deps, code } = await withCode();
      const { reviewer } = enrolled(await setUpWithPassword(deps, input(code)));
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(verifyChain(events)).toMatchObject({ ok: true });
      expect(events.map(({ type, actor, body }) => ({ type, actor, body }))).toEqual([
        {
          type: "setup_code_made",
          actor: { kind: "cli", id: "olga", name: "olga" },
          body: { expiresAt: deps.now() + SETUP_CODE_MS },
        },
        {
          type: "reviewer_enrolled",
          actor: { kind: "reviewer", id: reviewer.id, name: "Anna" },
          body: { reviewer: { id: reviewer.id, name: "Anna" }, way: "web", by: null, credential: "password" },
        },
      ]);
      const everything = JSON.stringify([
        events,
        await deps.db.query("SELECT * FROM one_time_codes WHERE workspace = $1", [deps.workspace]),
      ]);
      expect(everything).not.toContain(PASSWORD);
      expect(everything).not.toContain(code);
      expect(everything).not.toContain(code.replaceAll("-", ""));
    });

    test("[T03] without a code nobody is enrolled", async () => {
      const deps = identityDeps(await open());
      expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "wrong_code" });
      expect(await setUpWithPassword(deps, input(""))).toEqual({ kind: "wrong_code" });
      expect(await people(deps)).toEqual([]);
    });

    test("a code ends after ten minutes", async () => {
      const early = await withCode();
      await early.deps.clock.advance(SETUP_CODE_MS - 1);
      enrolled(await setUpWithPassword(early.deps, input(early.code)));
      const late = await withCode();
      await late.deps.clock.advance(SETUP_CODE_MS);
      expect(await setUpWithPassword(late.deps, input(late.code))).toEqual({ kind: "wrong_code" });
    });

    test("five wrong tries end every live code; four do not", async () => {
      const { deps, code } = await withCode();
      const second = (await makeSetupCode(deps, "olga")).code;
      for (let tries = 0; tries < 4; tries += 1)
        expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "wrong_code" });
      // A name or password that will not do is no try.
      expect(await setUpWithPassword(deps, input(code, { name: "" }))).toMatchObject({ kind: "invalid" });
      expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "wrong_code" });
      for (const ended of [code, second])
        expect(await setUpWithPassword(deps, input(ended))).toEqual({ kind: "wrong_code" });
      enrolled(await setUpWithPassword(deps, input((await makeSetupCode(deps, "olga")).code)));

      const other = await withCode();
      for (let tries = 0; tries < 4; tries += 1) await setUpWithPassword(other.deps, input(WRONG));
      enrolled(await setUpWithPassword(other.deps, input(other.code.toLowerCase().replaceAll("-", " "))));
    });

    test("tells what is wrong with name and password, and keeps the code good", async () => {
      const { deps, code } = await withCode();
      expect(await setUpWithPassword(deps, input(code, { name: "An\u200bna", password: "short" }))).toEqual({
        kind: "invalid",
        problems: [
          { field: "name", message: expect.stringMatching(/cannot be seen/) },
          { field: "password", message: expect.stringMatching(/at least 8/) },
        ],
      });
      enrolled(await setUpWithPassword(deps, input(code)));
    });

    test("a slip in name or password is no try", async () => {
      const { deps, code } = await withCode();
      for (let slips = 0; slips < 15; slips += 1)
        expect(await setUpWithPassword(deps, input(WRONG, { password: "short" }))).toMatchObject({ kind: "invalid" });
      enrolled(await setUpWithPassword(deps, input(code)));
    });

    test("from one address is limited to ten tries, then one each half minute", async () => {
      const { deps } = await withCode();
      for (let tries = 0; tries < 10; tries += 1)
        expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "wrong_code" });
      expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "rate_limited", retryAfterSeconds: 30 });
      await deps.clock.advance(30_000);
      expect(await setUpWithPassword(deps, input(WRONG))).toEqual({ kind: "wrong_code" });
    });

    test("of ten who come at once with the same code, one is enrolled and the others are told that setup is over", async () => {
      const { deps, code } = await withCode();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          setUpWithPassword(deps, input(code, { name: `Person ${at}`, from: `10.0.0.${at}` })),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === "enrolled")).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === "closed")).toHaveLength(9);
      expect(await people(deps)).toHaveLength(1);
      expect(
        (await loadEvents(deps.db, deps.workspace, "workspace")).filter(({ type }) => type === "reviewer_enrolled"),
      ).toHaveLength(1);
    });

    test("of ten who come at once with ten codes, one is enrolled", async () => {
      const deps = identityDeps(await open());
      const codes: string[] = [];
      for (let at = 0; at < 10; at += 1) codes.push((await makeSetupCode(deps, "olga")).code);
      const outcomes = await Promise.all(
        codes.map((code, at) => setUpWithPassword(deps, input(code, { name: `Person ${at}`, from: `10.0.0.${at}` }))),
      );
      expect(outcomes.filter(({ kind }) => kind === "enrolled")).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === "closed")).toHaveLength(9);
      expect(await people(deps)).toHaveLength(1);
    });

    test("on the web and on the command line at once never enrols a second one by the code", async () => {
      for (let round = 0; round < 5; round += 1) {
        const { deps, code } = await withCode();
        const [web] = await Promise.all([
          setUpWithPassword(deps, input(code)),
          addReviewer(deps, "olga", { name: "Cleo", password: PASSWORD }),
        ]);
        expect(await people(deps)).toHaveLength(web.kind === "enrolled" ? 2 : 1);
        expect(["enrolled", "closed"]).toContain(web.kind);
      }
    });

    test("does not open again when the only reviewer is disabled", async () => {
      const { deps, code } = await withCode();
      await addReviewer(deps, "olga", { name: "Cleo", password: PASSWORD });
      await disableReviewer(deps, "olga", "Cleo");
      expect(await setupOpen(deps)).toBe(false);
      expect(await setUpWithPassword(deps, input(code))).toEqual({ kind: "closed" });
      await expect(makeSetupCode(deps, "olga")).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringMatching(/reviewer add/),
      });
    });

    test("lapsed codes, sessions and ceremonies are tidied away, live ones are not", async () => {
      const { deps } = await withCode();
      await dropLapsedIdentity(deps, deps.now());
      const count = async (): Promise<number> =>
        (await deps.db.query("SELECT hash FROM one_time_codes WHERE workspace = $1", [deps.workspace])).length;
      expect(await count()).toBe(1);
      await dropLapsedIdentity(deps, deps.now() + 3 * 24 * 3_600_000);
      expect(await count()).toBe(0);
    });
  },
  BOTH,
);

forEachDatabase(
  "setting up the first reviewer with a passkey",
  (open) => {
    async function begun(wrong: Tampering = {}) {
      const deps = identityDeps(await open());
      const { code } = await makeSetupCode(deps, "olga");
      const begunSetup = await beginPasskeySetup(deps, { code, name: "Anna", from: FROM });
      if (begunSetup.kind !== "begun") throw new Error(`not begun: ${begunSetup.kind}`);
      const authenticator = new Authenticator(deps.publicUrl);
      const response = authenticator.create(begunSetup.options, wrong);
      return {
        deps,
        code,
        ...begunSetup,
        authenticator,
        input: { code, name: "Anna", challengeId: begunSetup.challengeId, response, from: FROM },
      };
    }

    test("enrols, signs in and notes it in the trail", async () => {
      const { deps, options, input } = await begun();
      expect(options).toMatchObject({
        rp: { id: "localhost" },
        user: { name: "Anna" },
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      expect(await setupOpen(deps)).toBe(true);
      const opened = enrolled(await setUpWithPasskey(deps, input));
      expect(opened).toMatchObject({
        reviewer: { name: "Anna", hasPassword: false, passkeys: 1, enrolledWay: "web" },
        proof: "passkey",
      });
      const events = await loadEvents(deps.db, deps.workspace, "workspace");
      expect(events.at(-1)).toMatchObject({ type: "reviewer_enrolled", body: { way: "web", credential: "passkey" } });
      expect(await setUpWithPasskey(deps, input)).toEqual({ kind: "closed" });
    });

    test("beginning does not use the code up, and a wrong one counts", async () => {
      const { deps, code } = await begun();
      for (let tries = 0; tries < 4; tries += 1)
        expect(await beginPasskeySetup(deps, { code: WRONG, name: "Mallory", from: FROM })).toEqual({
          kind: "wrong_code",
        });
      expect(await beginPasskeySetup(deps, { code, name: "Anna", from: FROM })).toMatchObject({ kind: "begun" });
      expect(await beginPasskeySetup(deps, { code: WRONG, name: "Mallory", from: FROM })).toEqual({
        kind: "wrong_code",
      });
      expect(await beginPasskeySetup(deps, { code, name: "Anna", from: FROM })).toEqual({ kind: "wrong_code" });
    });

    test.each<[string, Tampering]>([
      ["no user verification", { userVerified: false }],
      ["another origin", { origin: "http://localhost:5000" }],
      ["another site", { rpId: "evil.example" }],
      ["another challenge", { challenge: "A".repeat(43) }],
    ])("[BR 179] is refused for %s, with both values, and the code stays good", async (_, wrong) => {
      const { deps, code, input } = await begun(wrong);
      const outcome = await setUpWithPasskey(deps, input);
      expect(outcome).toMatchObject({
        kind: "invalid",
        problems: [{ field: "passkey", message: expect.stringMatching(/localhost, made at http:\/\/localhost:4747/) }],
      });
      expect(await people(deps)).toEqual([]);
      enrolled(await setUpWithPassword(deps, { code, name: "Anna", password: PASSWORD, from: FROM }));
    });

    test("takes the browser's answer once, and only for the name and code it was begun with", async () => {
      const { deps, input } = await begun();
      const { code: other } = await makeSetupCode(deps, "olga");
      expect(await setUpWithPasskey(deps, { ...input, code: other })).toMatchObject({ kind: "invalid" });
      expect(await setUpWithPasskey(deps, input)).toMatchObject({ kind: "invalid" });
      const again = await begun();
      expect(await setUpWithPasskey(again.deps, { ...again.input, name: "Mallory" })).toMatchObject({
        kind: "invalid",
      });
    });

    test("an answer to a sign-in is no answer to a setup", async () => {
      const { deps, input } = await begun();
      expect(await setUpWithPasskey(deps, { ...input, challengeId: "unknown" })).toMatchObject({ kind: "invalid" });
      await deps.db.query("UPDATE challenges SET purpose = 'sign_in' WHERE workspace = $1", [deps.workspace]);
      expect(await setUpWithPasskey(deps, input)).toMatchObject({ kind: "invalid" });
    });

    test("of two who finish at once, one is enrolled and the other is told that setup is over", async () => {
      const { deps, code, input } = await begun();
      const second = await beginPasskeySetup(deps, { code, name: "Ben", from: FROM });
      if (second.kind !== "begun") throw new Error("not begun");
      const response = new Authenticator(deps.publicUrl).create(second.options);
      const outcomes = await Promise.all([
        setUpWithPasskey(deps, input),
        setUpWithPasskey(deps, { code, name: "Ben", challengeId: second.challengeId, response, from: FROM }),
      ]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["closed", "enrolled"]);
    });

    test("[BR 177] at an address instead of a name says why passkeys are off", async () => {
      const deps = identityDeps(await open(), {
        publicUrl: "http://127.0.0.1:4747",
        rpId: "127.0.0.1",
        passkeys: false,
      });
      const { code } = await makeSetupCode(deps, "olga");
      expect(await beginPasskeySetup(deps, { code, name: "Anna", from: FROM })).toMatchObject({
        kind: "invalid",
        problems: [{ field: "passkey", message: expect.stringMatching(/127\.0\.0\.1/) }],
      });
    });
  },
  BOTH,
);
