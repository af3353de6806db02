import { expect, test } from "vitest";
import { intentChallenge } from "../../src/approval/intent.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Decided, PreparedIntent, PrepareInput, Session } from "../../src/engine/engine.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { decisionPasskeyOptions, verifyProof } from "../../src/engine/proof.ts";
import { addReviewer, disableReviewer } from "../../src/engine/reviewers.ts";
import { session as sessionBehind, signOut } from "../../src/engine/session.ts";
import { signInWithPassword } from "../../src/engine/sign_in.ts";
import { loadDecisions } from "../../src/store/decisions.ts";
import { Authenticator, type Tampering } from "../support/authenticator.ts";
import { type DatabaseName, forEachDatabase } from "../support/databases.ts";
import {
  enrolWithPasskey,
  FROM,
  identityDeps,
  type IdentityDeps,
  openSessionOf,
  PASSWORD,
} from "../support/identity.ts";
import { addTestAgent } from "../support/verbs.ts";

const BOTH: readonly DatabaseName[] = ["SQLite in memory", "PostgreSQL"];

interface Scene {
  readonly deps: IdentityDeps;
  readonly anna: Session;
  readonly authenticator: Authenticator;
  ask(message?: string): Promise<string>;
  ready(id: string, more?: Partial<PrepareInput>, by?: Session): Promise<PreparedIntent>;
}

async function scene(deps: IdentityDeps): Promise<Scene> {
  const { session: anna, authenticator } = await enrolWithPasskey(deps);
  const approvals = approvalsOf(deps, await addTestAgent(deps));
  const digests = new Map<string, string>();
  return {
    deps,
    anna,
    authenticator,
    async ask(message = "Deploy") {
      const schema = { type: "object", properties: { note: { type: "string" } } };
      const { id } = await approvals.request({ message, context: '{"target":"prod"}', requestedSchema: schema });
      const [row] = await deps.db.query<{ request_digest: string }>(
        "SELECT request_digest FROM approvals WHERE id = $1",
        [id],
      );
      digests.set(id, row?.request_digest ?? "");
      return id;
    },
    async ready(id, more = {}, by = anna) {
      const answers = new Map([["note", ["as discussed"]]]);
      const outcome = await prepare(deps, by, {
        approvalId: id,
        decision: "submitted",
        requestDigest: digests.get(id) ?? "",
        answers,
        ...more,
      });
      if (outcome.kind !== "prepared") throw new Error(outcome.kind);
      return outcome;
    },
  };
}

async function touch(
  deps: EngineDeps,
  by: Session,
  prepared: PreparedIntent,
  authenticator: Authenticator,
  wrong: Tampering = {},
): Promise<unknown> {
  const options = await decisionPasskeyOptions(deps, by, prepared.intent);
  if (options === undefined) throw new Error("no passkey is asked for");
  return authenticator.get(options, wrong);
}

const byPasskey = (response: unknown) => ({ kind: "passkey", response }) as const;
const WRONG: Decided = { kind: "proof_required", reason: "wrong" };

forEachDatabase(
  "a decision by passkey",
  (open) => {
    const begin = async (over = {}): Promise<Scene> => scene(identityDeps(await open(), over));

    test("is one touch for exactly this decision, and keeps what is needed to verify it again", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const id = await ask();
      const prepared = await ready(id);
      expect(await decisionPasskeyOptions(deps, anna, prepared.intent)).toMatchObject({
        rpId: "localhost",
        userVerification: "required",
        allowCredentials: [{ type: "public-key" }],
      });
      expect(
        await decide(deps, anna, prepared.intentId, byPasskey(await touch(deps, anna, prepared, authenticator)), FROM),
      ).toMatchObject({ kind: "decided" });
      const [decision] = await loadDecisions(deps.db, deps.workspace, id);
      expect(decision).toMatchObject({ assurance: "user-verified", reviewer: { name: "Anna" } });
      const [row] = await deps.db.query<{ evidence: string }>("SELECT evidence FROM decisions WHERE approval = $1", [
        id,
      ]);
      expect(JSON.parse(row?.evidence ?? "")).toMatchObject({
        kind: "passkey",
        flags: { up: true, uv: true },
        signCount: 1,
        origin: deps.publicUrl,
      });
      const [credential] = await deps.db.query("SELECT sign_count, last_used_at FROM credentials");
      expect(credential).toEqual({ sign_count: 1, last_used_at: deps.now() });
    });

    test("cannot be replayed: neither on its own intent nor on another", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const [first, second] = [await ask("one"), await ask("two")];
      const prepared = await ready(first);
      const response = await touch(deps, anna, prepared, authenticator);
      expect(await decide(deps, anna, prepared.intentId, byPasskey(response), FROM)).toMatchObject({ kind: "decided" });
      expect(await decide(deps, anna, prepared.intentId, byPasskey(response), FROM)).toMatchObject({ kind: "closed" });
      expect(await decide(deps, anna, (await ready(second)).intentId, byPasskey(response), FROM)).toEqual(WRONG);
      expect(await loadDecisions(deps.db, deps.workspace, second)).toEqual([]);
    });

    test("does not pass for another decision, answer, comment, request or a second asking of the same", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const [id, other] = [await ask("one"), await ask("two")];
      const signed = await touch(deps, anna, await ready(id), authenticator);
      const swapped: [string, PreparedIntent][] = [
        ["decision", await ready(id, { decision: "declined" })],
        ["answer", await ready(id, { answers: new Map([["note", ["something else"]]]) })],
        ["comment", await ready(id, { comment: "added later" })],
        ["request", await ready(other)],
        ["nonce", await ready(id)],
      ];
      for (const [what, prepared] of swapped)
        expect([what, await decide(deps, anna, prepared.intentId, byPasskey(signed), FROM)]).toEqual([what, WRONG]);
      expect(await loadDecisions(deps.db, deps.workspace, id)).toEqual([]);
      expect(await loadDecisions(deps.db, deps.workspace, other)).toEqual([]);
    });

    test("does not pass for another reviewer, whose session it is sent in", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      await addReviewer(deps, "olga", { name: "Ben", password: PASSWORD });
      const ben = await openSessionOf(deps, "Ben");
      const id = await ask();
      const [annas, bens] = [await ready(id), await ready(id, {}, ben)];
      const signed = await touch(deps, anna, annas, authenticator);
      expect(await decisionPasskeyOptions(deps, ben, bens.intent)).toBeUndefined();
      expect(await decisionPasskeyOptions(deps, ben, annas.intent)).toBeUndefined();
      expect(await decide(deps, ben, bens.intentId, byPasskey(signed), FROM)).toEqual(WRONG);
      // Even a signature of Anna's over the very intent of Ben's.
      const options = { challenge: Buffer.from(intentChallenge(bens.intent)).toString("base64url"), rpId: deps.rpId };
      expect(await decide(deps, ben, bens.intentId, byPasskey(authenticator.get(options)), FROM)).toEqual(WRONG);
      expect(await decide(deps, ben, annas.intentId, byPasskey(signed), FROM)).toEqual({ kind: "lapsed" });
      expect(
        await verifyProof(deps, { session: ben, intent: annas.intent, proof: byPasskey(signed), from: FROM }),
      ).toEqual({ ok: false, reason: "wrong" });
      expect(await loadDecisions(deps.db, deps.workspace, id)).toEqual([]);
    });

    test.each<[string, Tampering]>([
      ["another origin", { origin: "http://localhost:4748" }],
      ["another site", { rpId: "evil.example" }],
      ["no user verification", { userVerified: false }],
      ["a broken signature", { badSignature: true }],
      ["a passkey nobody enrolled", { credentialId: "AAAA" }],
      ["another person's handle", { userHandle: "AAAA" }],
    ])("[T02] is refused for %s, and the intent stays good for a right one", async (_, wrong) => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const prepared = await ready(await ask());
      expect(
        await decide(
          deps,
          anna,
          prepared.intentId,
          byPasskey(await touch(deps, anna, prepared, authenticator, wrong)),
          FROM,
        ),
      ).toEqual(WRONG);
      expect(
        await decide(deps, anna, prepared.intentId, byPasskey(await touch(deps, anna, prepared, authenticator)), FROM),
      ).toMatchObject({ kind: "decided" });
    });

    test("[T02] by an authenticator that nobody enrolled is refused", async () => {
      const { deps, anna, ask, ready } = await begin();
      const prepared = await ready(await ask());
      const stranger = new Authenticator(deps.publicUrl);
      stranger.create({ challenge: "AAAA", rp: { id: "localhost" }, user: { id: "AAAA" } });
      expect(
        await decide(deps, anna, prepared.intentId, byPasskey(await touch(deps, anna, prepared, stranger)), FROM),
      ).toEqual(WRONG);
    });

    test("with an answer that is none is refused, and never throws", async () => {
      const { deps, anna, ask, ready } = await begin();
      const { intentId } = await ready(await ask());
      for (const response of ["x", 1, [], {}, { id: "AAAA" }])
        expect(await decide(deps, anna, intentId, byPasskey(response), FROM)).toEqual(WRONG);
      for (const response of [null, undefined])
        expect(await decide(deps, anna, intentId, byPasskey(response), FROM)).toEqual({
          kind: "proof_required",
          reason: "missing",
        });
    });

    test("checked before a disabling or a sign-out does not outlive it", async () => {
      for (const end of [
        (deps: EngineDeps) => disableReviewer(deps, "olga", "Anna"),
        (deps: EngineDeps, anna: Session) => signOut(deps, anna),
      ]) {
        const { deps, anna, authenticator, ask, ready } = await begin();
        const id = await ask();
        const prepared = await ready(id);
        const checked = await verifyProof(deps, {
          session: anna,
          intent: prepared.intent,
          proof: byPasskey(await touch(deps, anna, prepared, authenticator)),
          from: FROM,
        });
        if (!checked.ok) throw new Error(checked.reason);
        expect(await deps.db.transaction((tx) => checked.stillGood(tx))).toBe(true);
        await end(deps, anna);
        expect(await deps.db.transaction((tx) => checked.stillGood(tx))).toBe(false);
      }
    });

    test("made for another reviewer's intent is refused", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const prepared = await ready(await ask());
      const response = await touch(deps, anna, prepared, authenticator);
      const intent = { ...prepared.intent, reviewerId: "person_other" };
      for (const proof of [byPasskey(response), { kind: "session" } as const])
        expect(
          await verifyProof({ ...deps, proofWindowApplies: true }, { session: anna, intent, proof, from: FROM }),
        ).toEqual({ ok: false, reason: "wrong" });
    });

    test("where passkeys cannot work is neither asked for nor taken", async () => {
      const { deps, anna, authenticator, ask, ready } = await begin();
      const prepared = await ready(await ask());
      const response = await touch(deps, anna, prepared, authenticator);
      const off = { ...deps, passkeys: false };
      expect(await decisionPasskeyOptions(off, anna, prepared.intent)).toBeUndefined();
      expect(
        await verifyProof(off, { session: anna, intent: prepared.intent, proof: byPasskey(response), from: FROM }),
      ).toEqual({ ok: false, reason: "wrong" });
    });

    test("a passkey of an earlier public URL is not counted at the new one", async () => {
      const { deps, anna, ask, ready } = await begin();
      const prepared = await ready(await ask());
      const moved = { ...deps, publicUrl: "https://approve.example.com", rpId: "approve.example.com" };
      expect(await decisionPasskeyOptions(moved, anna, prepared.intent)).toBeUndefined();
    });
  },
  BOTH,
);

forEachDatabase(
  "a decision by password",
  (open) => {
    async function begin(over = {}) {
      const deps = identityDeps(await open(), over);
      const made = await scene(deps);
      await addReviewer(deps, "olga", { name: "Ben", password: PASSWORD });
      const outcome = await signInWithPassword(deps, { name: "Ben", password: PASSWORD, from: FROM });
      if (outcome.kind !== "signed_in") throw new Error(outcome.kind);
      return { ...made, ben: outcome.session, token: outcome.token };
    }
    const HTTPS = { publicUrl: "https://approve.example.com", rpId: "approve.example.com", proofWindowApplies: true };
    const typed = (password: string) => ({ kind: "password", password }) as const;

    test("takes the reviewer's own password, and tells a wrong one from none", async () => {
      const { deps, ben, ask, ready } = await begin();
      const id = await ask();
      const { intentId } = await ready(id, {}, ben);
      expect(await decide(deps, ben, intentId, typed(""), FROM)).toEqual({ kind: "proof_required", reason: "missing" });
      expect(await decide(deps, ben, intentId, typed("wrong horses"), FROM)).toEqual(WRONG);
      expect(await decide(deps, ben, intentId, typed(PASSWORD), FROM)).toMatchObject({ kind: "decided" });
      expect(await loadDecisions(deps.db, deps.workspace, id)).toMatchObject([
        { assurance: "reauthenticated", reviewer: { name: "Ben" } },
      ]);
      const [row] = await deps.db.query<{ evidence: string }>("SELECT evidence FROM decisions WHERE approval = $1", [
        id,
      ]);
      expect(row?.evidence).not.toContain(PASSWORD);
    });

    test("of somebody who has only a passkey is refused like a wrong one", async () => {
      const { deps, anna, ask, ready } = await begin();
      expect(await decide(deps, anna, (await ready(await ask())).intentId, typed(PASSWORD), FROM)).toEqual(WRONG);
    });

    test("is limited to ten wrong tries for each reviewer, and a passkey still works", async () => {
      const { deps, anna, authenticator, ben, ask, ready } = await begin();
      const id = await ask();
      const { intentId } = await ready(id, {}, ben);
      for (let tries = 0; tries < 10; tries += 1)
        expect(await decide(deps, ben, intentId, typed("wrong horses"), FROM)).toEqual(WRONG);
      expect(await decide(deps, ben, intentId, typed(PASSWORD), FROM)).toEqual({
        kind: "proof_required",
        reason: "rate_limited",
      });
      const annas = await ready(id);
      expect(
        await decide(deps, anna, annas.intentId, byPasskey(await touch(deps, anna, annas, authenticator)), FROM),
      ).toMatchObject({ kind: "decided" });
      await deps.clock.advance(30_000);
      const later = await ready(await ask("another"), {}, ben);
      expect(await decide(deps, ben, later.intentId, typed(PASSWORD), FROM)).toMatchObject({ kind: "decided" });
    });

    test("on a loopback origin every decision takes its own proof, however fresh the sign-in", async () => {
      const { deps, ben, ask, ready } = await begin();
      for (const round of ["one", "two"]) {
        const prepared = await ready(await ask(round), {}, ben);
        expect(prepared.proofNeeded).toBe(true);
        expect(await decide(deps, ben, prepared.intentId, { kind: "session" }, FROM)).toEqual({
          kind: "proof_required",
          reason: "missing",
        });
        expect(await decide(deps, ben, prepared.intentId, typed(PASSWORD), FROM)).toMatchObject({ kind: "decided" });
      }
    });

    test("on https the sign-in counts for five minutes, and each password for five more", async () => {
      const { deps, token, ask, ready } = await begin(HTTPS);
      async function bySession(
        message: string,
        proof: Parameters<typeof decide>[3] = { kind: "session" },
      ): Promise<Decided> {
        const ben = await sessionBehind(deps, token);
        if (ben === undefined) throw new Error("the session ended");
        return decide(deps, ben, (await ready(await ask(message), {}, ben)).intentId, proof, FROM);
      }
      await deps.clock.advance(300_000);
      expect(await bySession("at the end of the window")).toMatchObject({ kind: "decided" });
      await deps.clock.advance(1);
      expect(await bySession("after it")).toEqual({ kind: "proof_required", reason: "missing" });
      expect(await bySession("with a password", typed(PASSWORD))).toMatchObject({ kind: "decided" });
      await deps.clock.advance(300_000);
      expect(await bySession("within the new window")).toMatchObject({ kind: "decided" });
      // The proof never made the session itself live longer.
      expect((await sessionBehind(deps, token))?.expiresAt).toBeLessThanOrEqual(deps.now() + 12 * 3_600_000 - 600_000);
    });

    test("a clock that was set back opens no window", async () => {
      const { deps, token, ask, ready } = await begin(HTTPS);
      deps.clock.jump(-60_000);
      const ben = await sessionBehind(deps, token);
      if (ben === undefined) throw new Error("the session ended");
      const { intentId } = await ready(await ask(), {}, ben);
      expect(await decide(deps, ben, intentId, { kind: "session" }, FROM)).toEqual({
        kind: "proof_required",
        reason: "missing",
      });
    });
  },
  BOTH,
);
