/**
 * The proof of a decision: that this reviewer, and nobody else, is there for it now. It is checked before the
 * transaction, since a password takes a third of a second; the transaction then asks whether it is still good.
 */
import { type Intent, intentChallenge } from "../approval/intent.ts";
import { assertionOptions, passkeyIdOf, verifyAssertion } from "../identity/passkey.ts";
import { isCredentialGood, listPasskeys, loadPasskey, loadPassword, touchCredential } from "../store/credentials.ts";
import { isSessionLive, proveSession } from "../store/sessions.ts";
import type { EngineDeps } from "./deps.ts";
import type { PasskeyOptions, Session } from "./engine.ts";
import { proofIsFresh } from "./prepare.ts";
import { siteOf } from "./site.ts";
import type { CheckedProof, ProofToVerify, VerifiedProof } from "./verified_proof.ts";

/**
 * A used-up intent is not looked for here: whoever burns it does so in the transaction. Wrong passwords are limited per
 * reviewer, whom only the holder of a session can wear out, so a stranger at the sign-in page blocks no decision.
 */
export async function verifyProof(deps: EngineDeps, { session, intent, proof }: ProofToVerify): Promise<VerifiedProof> {
  if (intent.reviewerId !== session.reviewer.id) return { ok: false, reason: "wrong" };
  switch (proof.kind) {
    case "session":
      return bySession(deps, session);
    case "password":
      return byPassword(deps, session, proof.password);
    case "passkey":
      return byPasskey(deps, session, intent, proof.response);
  }
}

/** Options for an assertion whose challenge is this intent; undefined when the reviewer has no passkey for this site. */
export async function decisionPasskeyOptions(
  deps: EngineDeps,
  session: Session,
  intent: Intent,
): Promise<PasskeyOptions | undefined> {
  if (!deps.passkeys || intent.reviewerId !== session.reviewer.id) return undefined;
  const passkeys = await listPasskeys(deps.db, deps.workspace, session.reviewer.id, deps.rpId);
  return passkeys.length === 0 ? undefined : assertionOptions(siteOf(deps), intentChallenge(intent), passkeys);
}

function bySession(deps: EngineDeps, session: Session): VerifiedProof {
  if (!proofIsFresh(deps, session, deps.now())) return { ok: false, reason: "missing" };
  const evidence = { v: 1, kind: "session", provedBy: session.proof, provedAt: session.provedAt };
  return { ok: true, assurance: "reauthenticated", evidence, ...standing(deps, session, null) };
}

async function byPassword(deps: EngineDeps, session: Session, password: string): Promise<VerifiedProof> {
  const person = session.reviewer.id;
  if (password === "") return { ok: false, reason: "missing" };
  if (deps.attempts.admitProof(person) !== undefined) return { ok: false, reason: "rate_limited" };
  const stored = await loadPassword(deps.db, deps.workspace, person);
  const right = await deps.passwords.verify(password, stored?.hash);
  if (!right || stored === undefined) return { ok: false, reason: "wrong" };
  deps.attempts.proved(person);
  const used = { credential: stored.credential, signCount: null };
  const evidence = { v: 1, kind: "password", credentialId: stored.credential };
  const { stillGood, use } = standing(deps, session, used);
  return {
    ok: true,
    assurance: "reauthenticated",
    evidence,
    stillGood,
    async use(tx, now) {
      await use(tx, now);
      if (deps.proofWindowApplies) await proveSession(tx, deps.workspace, session.hash, "password", now);
    },
  };
}

async function byPasskey(
  deps: EngineDeps,
  session: Session,
  intent: Intent,
  response: unknown,
): Promise<VerifiedProof> {
  if (response === null || response === undefined) return { ok: false, reason: "missing" };
  const passkeyId = passkeyIdOf(response);
  const found =
    passkeyId !== undefined && deps.passkeys
      ? await loadPasskey(deps.db, deps.workspace, passkeyId, deps.rpId)
      : undefined;
  if (found === undefined || found.person !== session.reviewer.id) return { ok: false, reason: "wrong" };
  const assertion = await verifyAssertion(siteOf(deps), response, intentChallenge(intent), found.passkey);
  if (assertion === undefined || (assertion.userHandle !== undefined && assertion.userHandle !== found.person))
    return { ok: false, reason: "wrong" };
  const used = { credential: assertion.passkeyId, signCount: assertion.signCount };
  return { ok: true, assurance: "user-verified", evidence: assertion.evidence, ...standing(deps, session, used) };
}

function standing(
  deps: EngineDeps,
  session: Session,
  used: { readonly credential: string; readonly signCount: number | null } | null,
): Pick<CheckedProof, "stillGood" | "use"> {
  const person = session.reviewer.id;
  const { workspace } = deps;
  const checkedAt = deps.now();
  return {
    async stillGood(tx) {
      if (!(await isSessionLive(tx, workspace, session.hash, person, checkedAt))) return false;
      return used === null || isCredentialGood(tx, workspace, used.credential, person);
    },
    async use(tx, now) {
      if (used !== null) await touchCredential(tx, workspace, { ...used, person }, now);
    },
  };
}
