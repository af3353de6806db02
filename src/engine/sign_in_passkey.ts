/** Signing in with a passkey: the authenticator tells who is there, and that it verified them. */
import { ApprovalError } from "../approval/errors.ts";
import { assertionOptions, passkeyIdOf, verifyAssertion } from "../identity/passkey.ts";
import { decodeBytes, encodeBytes, isRandomId } from "../identity/secret.ts";
import { type Challenge, insertChallenge, takeChallenge } from "../store/challenges.ts";
import { loadPasskey, touchCredential } from "../store/credentials.ts";
import type { EngineDeps } from "./deps.ts";
import type { PasskeyCeremony, SignIn } from "./engine.ts";
import { newSession, openSession } from "./session.ts";
import { needPasskeys, siteOf } from "./site.ts";

/** How long a begun ceremony may take, in milliseconds. */
export const CEREMONY_MS = 5 * 60_000;

/** @param from The peer's address. Throws `rate_limited` when far more ceremonies are begun than people could, and `forbidden` where passkeys cannot work. */
export async function beginPasskeySignIn(deps: EngineDeps, from: string): Promise<PasskeyCeremony> {
  needPasskeys(deps);
  const retryAfterSeconds = deps.attempts.admitCeremony(from);
  if (retryAfterSeconds !== undefined) {
    throw new ApprovalError("rate_limited", "Too many sign-ins were begun. Wait a moment, then try again.", {
      retryAfterSeconds,
    });
  }
  const challenge = new Uint8Array(deps.randomBytes(32));
  const now = deps.now();
  const stored: Challenge = {
    id: encodeBytes(deps.randomBytes(16)),
    purpose: "sign_in",
    person: null,
    challenge: encodeBytes(challenge),
    body: null,
    expiresAt: now + CEREMONY_MS,
  };
  await insertChallenge(deps.db, deps.workspace, stored, now);
  return { challengeId: stored.id, options: await assertionOptions(siteOf(deps), challenge, []) };
}

export interface PasskeySignIn {
  readonly challengeId: string;
  readonly response: unknown;
  /** The peer's address. */
  readonly from: string;
  readonly userAgent?: string | undefined;
}

/** The challenge is spent by the attempt, whatever comes of it. */
export async function signInWithPasskey(deps: EngineDeps, input: PasskeySignIn): Promise<SignIn> {
  const retryAfterSeconds = deps.attempts.admitPasskey(input.from);
  if (retryAfterSeconds !== undefined) return { kind: "rate_limited", retryAfterSeconds };
  const passkeyId = passkeyIdOf(input.response);
  if (!deps.passkeys || passkeyId === undefined || !isRandomId(input.challengeId)) return { kind: "refused" };
  const challenge = await takeChallenge(deps.db, deps.workspace, input.challengeId, "sign_in", deps.now());
  if (challenge === undefined) return { kind: "refused" };
  const found = await loadPasskey(deps.db, deps.workspace, passkeyId, deps.rpId);
  if (found === undefined) return { kind: "refused" };
  const assertion = await verifyAssertion(
    siteOf(deps),
    input.response,
    decodeBytes(challenge.challenge),
    found.passkey,
  );
  if (assertion === undefined || (assertion.userHandle !== undefined && assertion.userHandle !== found.person))
    return { kind: "refused" };

  const draft = newSession(deps, found.person, "passkey", input.userAgent);
  const used = { credential: passkeyId, person: found.person, signCount: assertion.signCount };
  const now = deps.now();
  const opened = await deps.db.transaction(async (tx) =>
    (await touchCredential(tx, deps.workspace, used, now)) ? openSession(deps, tx, draft, now) : undefined,
  );
  if (opened === undefined) return { kind: "refused" };
  deps.attempts.passkeySignedIn(input.from);
  return { kind: "signed_in", ...opened };
}
