import { expect, test } from "vitest";
import { loadEvents } from "../../src/store/events.ts";
import { disableReviewer, addReviewer } from "../../src/engine/reviewers.ts";
import { session, signOut } from "../../src/engine/session.ts";
import { signInWithPassword } from "../../src/engine/sign_in.ts";
import { beginPasskeySignIn, CEREMONY_MS, signInWithPasskey } from "../../src/engine/sign_in_passkey.ts";
import type { Database } from "../../src/store/database.ts";
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from "../../src/store/sessions.ts";
import { Authenticator, type Tampering } from "../support/authenticator.ts";
import { type DatabaseName, forEachDatabase } from "../support/databases.ts";
import { enrolWithPasskey, FROM, identityDeps, type IdentityDeps, PASSWORD, signedIn } from "../support/identity.ts";

const MINUTE = 60_000;
const BOTH: readonly DatabaseName[] = ["SQLite in memory", "PostgreSQL"];
/** For what never reaches a statement, or only one that the other tests hold to on both. */
const ONE: readonly DatabaseName[] = ["SQLite in memory"];

type Open = () => Promise<Database>;

async function withAnna(open: Open): Promise<IdentityDeps> {
  const deps = identityDeps(await open());
  await addReviewer(deps, "olga", { name: "Anna Bär", password: PASSWORD });
  return deps;
}

async function begun(open: Open, wrong: Tampering = {}) {
  const deps = identityDeps(await open());
  const { session: enrolledSession, authenticator } = await enrolWithPasskey(deps);
  const { challengeId, options } = await beginPasskeySignIn(deps, FROM);
  return { deps, enrolledSession, authenticator, challengeId, options, response: authenticator.get(options, wrong) };
}

forEachDatabase(
  "signing in with a password",
  (open) => {
    test("opens a session that has just been proved, for the name however it is typed", async () => {
      const deps = await withAnna(open);
      for (const name of ["Anna Bär", " anna bär ", "ANNA  BA\u0308R"]) {
        const outcome = await signInWithPassword(deps, {
          name,
          password: PASSWORD,
          from: FROM,
          userAgent: "Browser\u0000/1",
        });
        expect(outcome).toMatchObject({
          kind: "signed_in",
          session: {
            reviewer: { name: "Anna Bär", hasPassword: true, passkeys: 0 },
            provedAt: deps.now(),
            proof: "password",
            expiresAt: deps.now() + SESSION_LIFETIME_MS,
          },
        });
        if (outcome.kind !== "signed_in") continue;
        expect(await session(deps, outcome.token)).toEqual(outcome.session);
      }
    });

    test("[T36] gives another cookie and form token each time, and stores neither the cookie nor a way back to it", async () => {
      const deps = await withAnna(open);
      const first = await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM });
      const second = await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM });
      if (first.kind !== "signed_in" || second.kind !== "signed_in") throw new Error("not signed in");
      expect(first.token).not.toBe(second.token);
      expect(first.session.csrf).not.toBe(second.session.csrf);
      expect(Buffer.from(first.token, "base64url")).toHaveLength(32);
      const rows = await deps.db.query("SELECT * FROM sessions WHERE workspace = $1", [deps.workspace]);
      expect(rows).toHaveLength(2);
      expect(JSON.stringify(rows)).not.toContain(first.token);
      expect(await session(deps, first.session.hash)).toBeUndefined();
    });

    test("answers a wrong password, an unknown name, a disabled person and odd text alike", async () => {
      const deps = await withAnna(open);
      await addReviewer(deps, "olga", { name: "Gone", password: PASSWORD });
      await disableReviewer(deps, "olga", "Gone");
      for (const [name, password] of [
        ["Anna Bär", "wrong horses"],
        ["Anna Bär", ""],
        ["Nobody", PASSWORD],
        ["Gone", PASSWORD],
        ["An\0na", PASSWORD],
        ["", PASSWORD],
        ["x".repeat(100_000), PASSWORD],
        ["Anna Bär", "x".repeat(100_000)],
        ["Anna Bär", `${PASSWORD}\ud800`],
      ] as const) {
        expect(await signInWithPassword(deps, { name, password, from: `${FROM}0` })).toEqual({ kind: "refused" });
      }
    });
  },
  BOTH,
);

forEachDatabase(
  "a session",
  (open) => {
    async function withSession(): Promise<{ deps: IdentityDeps; token: string }> {
      const deps = identityDeps(await open());
      await addReviewer(deps, "olga", { name: "Anna", password: PASSWORD });
      const outcome = await signInWithPassword(deps, { name: "Anna", password: PASSWORD, from: FROM });
      if (outcome.kind !== "signed_in") throw new Error("not signed in");
      return { deps, token: outcome.token };
    }

    test("ends after thirty minutes without use", async () => {
      const { deps, token } = await withSession();
      await deps.clock.advance(SESSION_IDLE_MS - 1);
      expect(await session(deps, token)).toBeDefined();
      await deps.clock.advance(SESSION_IDLE_MS);
      expect(await session(deps, token)).toBeUndefined();
    });

    test("ends twelve hours after it was opened, however much it is used", async () => {
      const { deps, token } = await withSession();
      for (let used = 0; used < SESSION_LIFETIME_MS - 20 * MINUTE; used += 20 * MINUTE) {
        await deps.clock.advance(20 * MINUTE);
        expect(await session(deps, token)).toBeDefined();
      }
      await deps.clock.advance(20 * MINUTE - 1);
      expect(await session(deps, token)).toBeDefined();
      await deps.clock.advance(1);
      expect(await session(deps, token)).toBeUndefined();
    });

    test("notes its use once a minute at most", async () => {
      const { deps, token } = await withSession();
      const usedAt = async (): Promise<number> =>
        (
          await deps.db.query<{ used_at: number }>("SELECT used_at FROM sessions WHERE workspace = $1", [
            deps.workspace,
          ])
        )[0]?.used_at ?? 0;
      const opened = await usedAt();
      await deps.clock.advance(MINUTE - 1);
      await session(deps, token);
      expect(await usedAt()).toBe(opened);
      await deps.clock.advance(1);
      await session(deps, token);
      expect(await usedAt()).toBe(opened + MINUTE);
    });

    test("ends at sign-out, and only that one", async () => {
      const { deps, token } = await withSession();
      const other = await signInWithPassword(deps, { name: "Anna", password: PASSWORD, from: FROM });
      const live = await session(deps, token);
      if (live === undefined || other.kind !== "signed_in") throw new Error("no session");
      await signOut(deps, live);
      expect(await session(deps, token)).toBeUndefined();
      expect(await session(deps, other.token)).toBeDefined();
    });

    test("of a person who is disabled ends at once", async () => {
      const { deps, token } = await withSession();
      await disableReviewer(deps, "olga", "Anna");
      expect(await session(deps, token)).toBeUndefined();
      expect(await deps.db.query("SELECT hash FROM sessions WHERE workspace = $1", [deps.workspace])).toEqual([]);
    });

    test("of another workspace does not exist here", async () => {
      const { deps, token } = await withSession();
      await deps.db.query("INSERT INTO workspaces (id, name, created_at) VALUES ('other', 'Other', 0)");
      expect(await session({ ...deps, workspace: "other" }, token)).toBeUndefined();
    });
  },
  BOTH,
);

forEachDatabase(
  "signing in with a passkey",
  (open) => {
    test("asks for any passkey of this site, with the person verified, and opens a session", async () => {
      const { deps, challengeId, options, response, enrolledSession } = await begun(open);
      expect(options).toMatchObject({ rpId: "localhost", userVerification: "required", allowCredentials: [] });
      const opened = signedIn(await signInWithPasskey(deps, { challengeId, response, from: FROM }));
      expect(opened).toMatchObject({
        reviewer: { id: enrolledSession.reviewer.id, name: "Anna", hasPassword: false, passkeys: 1 },
        proof: "passkey",
        provedAt: deps.now(),
      });
      const [row] = await deps.db.query<{ sign_count: number; last_used_at: number }>(
        "SELECT sign_count, last_used_at FROM credentials WHERE workspace = $1",
        [deps.workspace],
      );
      expect(row).toMatchObject({ sign_count: 1, last_used_at: deps.now() });
    });

    test("takes an answer once: the same one again is refused", async () => {
      const { deps, challengeId, response } = await begun(open);
      signedIn(await signInWithPasskey(deps, { challengeId, response, from: FROM }));
      expect(await signInWithPasskey(deps, { challengeId, response, from: FROM })).toEqual({ kind: "refused" });
    });

    test("of twenty who come with the same answer at once, one is let in", async () => {
      const { deps, challengeId, response } = await begun(open);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => signInWithPasskey(deps, { challengeId, response, from: FROM })),
      );
      expect(outcomes.filter((outcome) => outcome.kind === "signed_in")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.kind === "refused")).toHaveLength(19);
    });

    test("a wrong answer spends the challenge as well", async () => {
      const { deps, authenticator, challengeId, options, response } = await begun(open, { badSignature: true });
      expect(await signInWithPasskey(deps, { challengeId, response, from: FROM })).toEqual({ kind: "refused" });
      expect(await signInWithPasskey(deps, { challengeId, response: authenticator.get(options), from: FROM })).toEqual({
        kind: "refused",
      });
    });

    test("lapses five minutes after it was begun", async () => {
      const early = await begun(open);
      await early.deps.clock.advance(CEREMONY_MS - 1);
      signedIn(
        await signInWithPasskey(early.deps, { challengeId: early.challengeId, response: early.response, from: FROM }),
      );
      const late = await begun(open);
      await late.deps.clock.advance(CEREMONY_MS);
      expect(
        await signInWithPasskey(late.deps, { challengeId: late.challengeId, response: late.response, from: FROM }),
      ).toEqual({ kind: "refused" });
    });

    test("a disabled person's passkey opens nothing, even when the ceremony was begun before", async () => {
      const { deps, challengeId, response } = await begun(open);
      await disableReviewer(deps, "olga", "Anna");
      expect(await signInWithPasskey(deps, { challengeId, response, from: FROM })).toEqual({ kind: "refused" });
    });

    test("leaves no event of its own: the trail tells of changes, not of visits", async () => {
      const { deps, challengeId, response } = await begun(open);
      const before = (await loadEvents(deps.db, deps.workspace, "workspace")).length;
      signedIn(await signInWithPasskey(deps, { challengeId, response, from: FROM }));
      expect(await loadEvents(deps.db, deps.workspace, "workspace")).toHaveLength(before);
    });
  },
  BOTH,
);

forEachDatabase(
  "the limits on signing in",
  (open) => {
    test("after ten wrong passwords for a name is refused until a minute has passed, right password or not", async () => {
      const deps = await withAnna(open);
      // From ten addresses, so that it is the name that runs out.
      for (let at = 0; at < 10; at += 1)
        expect(
          await signInWithPassword(deps, { name: "Anna Bär", password: "wrong horses", from: `10.0.0.${at}` }),
        ).toEqual({ kind: "refused" });
      const right = { name: "anna bär", password: PASSWORD, from: "10.0.0.99" };
      expect(await signInWithPassword(deps, right)).toEqual({ kind: "rate_limited", retryAfterSeconds: 60 });
      await deps.clock.advance(59_000);
      expect(await signInWithPassword(deps, right)).toEqual({ kind: "rate_limited", retryAfterSeconds: 1 });
      await deps.clock.advance(1_000);
      signedIn(await signInWithPassword(deps, right));
      // A success fills the name's bucket again.
      for (let at = 0; at < 10; at += 1)
        expect(await signInWithPassword(deps, { ...right, password: "wrong horses" })).toEqual({ kind: "refused" });
      expect(await signInWithPassword(deps, right)).toMatchObject({ kind: "rate_limited" });
    });

    test("from one address is refused after thirty wrong tries at any names, and not from another address", async () => {
      const deps = await withAnna(open);
      for (let at = 0; at < 30; at += 1)
        expect(await signInWithPassword(deps, { name: `Guess ${at}`, password: "wrong horses", from: FROM })).toEqual({
          kind: "refused",
        });
      expect(await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM })).toEqual({
        kind: "rate_limited",
        retryAfterSeconds: 10,
      });
      signedIn(await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: "198.51.100.4" }));
    });

    test("from a great many addresses at once is refused after sixty tries", async () => {
      const deps = await withAnna(open);
      for (let at = 0; at < 60; at += 1)
        await signInWithPassword(deps, { name: `Guess ${at}`, password: "wrong horses", from: `10.1.0.${at}` });
      expect(await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM })).toEqual({
        kind: "rate_limited",
        retryAfterSeconds: 1,
      });
      await deps.clock.advance(1_000);
      signedIn(await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM }));
    });

    test("a hundred right sign-ins in a row are not taken for an attack", async () => {
      const deps = await withAnna(open);
      for (let at = 0; at < 100; at += 1)
        signedIn(await signInWithPassword(deps, { name: "Anna Bär", password: PASSWORD, from: FROM }));
    });
  },
  ONE,
);

forEachDatabase(
  "what opens nothing",
  (open) => {
    test.each(["", "x", "x".repeat(43), "x".repeat(1_000_000), "' OR 1=1 --", "\0"])(
      "text that is no cookie opens no session (%#)",
      async (text) => {
        const deps = await withAnna(open);
        expect(await session(deps, text)).toBeUndefined();
      },
    );

    test.each<[string, Tampering]>([
      ["no user verification", { userVerified: false }],
      ["another origin", { origin: "http://localhost:5000" }],
      ["another site", { rpId: "evil.example" }],
      ["another challenge", { challenge: "A".repeat(43) }],
      ["another person's handle", { userHandle: Buffer.from("person_other").toString("base64url") }],
      ["a passkey that was never enrolled", { credentialId: "AAAA" }],
    ])("[T02] is refused for %s", async (_, wrong) => {
      const { deps, challengeId, response } = await begun(open, wrong);
      expect(await signInWithPasskey(deps, { challengeId, response, from: FROM })).toEqual({ kind: "refused" });
    });

    test("[T02] by an authenticator that nobody enrolled is refused", async () => {
      const { deps, challengeId, options } = await begun(open);
      const stranger = new Authenticator(deps.publicUrl);
      stranger.create({ challenge: "AAAA", rp: { id: "localhost" }, user: { id: "AAAA" } });
      expect(await signInWithPasskey(deps, { challengeId, response: stranger.get(options), from: FROM })).toEqual({
        kind: "refused",
      });
    });

    test.each([null, "x", {}, { id: 1 }])(
      "is refused for a malformed answer, and never throws (%#)",
      async (response) => {
        const { deps, challengeId } = await begun(open);
        expect(await signInWithPasskey(deps, { challengeId, response, from: FROM })).toEqual({ kind: "refused" });
        expect(await signInWithPasskey(deps, { challengeId: "\0".repeat(3), response, from: FROM })).toEqual({
          kind: "refused",
        });
      },
    );

    test("[BR 177] at an address instead of a name is not offered, with the reason", async () => {
      const deps = identityDeps(await open(), {
        publicUrl: "http://127.0.0.1:4747",
        rpId: "127.0.0.1",
        passkeys: false,
      });
      await expect(beginPasskeySignIn(deps, FROM)).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringMatching(/127\.0\.0\.1/),
      });
    });

    test("begun far more often than people could is refused, so that it cannot fill the disk", async () => {
      const deps = identityDeps(await open());
      for (let at = 0; at < 100; at += 1) await beginPasskeySignIn(deps, `10.0.0.${at}`);
      await expect(beginPasskeySignIn(deps, FROM)).rejects.toMatchObject({
        code: "rate_limited",
        retryAfterSeconds: 1,
      });
      await deps.clock.advance(200);
      await beginPasskeySignIn(deps, FROM);
    });
  },
  ONE,
);
