/** The engine's dependencies with real proofs, at a password cost that a test can pay. */
import { newAttempts } from "../../src/engine/attempts.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Session, SetupOutcome, SignIn } from "../../src/engine/engine.ts";
import { verifyProof } from "../../src/engine/proof.ts";
import { makeSetupCode } from "../../src/engine/setup_code.ts";
import { beginPasskeySetup, setUpWithPasskey } from "../../src/engine/setup_passkey.ts";
import { signInWithPassword } from "../../src/engine/sign_in.ts";
import { newPasswords } from "../../src/identity/password.ts";
import type { Database } from "../../src/store/database.ts";
import { Authenticator } from "./authenticator.ts";
import { type ManualClock, manualClock } from "./clock.ts";
import { verbDeps } from "./verbs.ts";

export const FROM = "203.0.113.7";
export const PASSWORD = "correct horse battery staple";

export interface IdentityDeps extends EngineDeps {
  readonly clock: ManualClock;
}

export function identityDeps(db: Database, over: Partial<EngineDeps> = {}): IdentityDeps {
  const clock = manualClock();
  const real = { passwords: newPasswords({ ln: 4, r: 8, p: 1 }), attempts: newAttempts(clock) };
  // The offset of a database's own clock has no place here: the test turns time itself.
  const deps: IdentityDeps = {
    ...verbDeps(db, clock, {
      now: () => clock.now(),
      ...real,
      verifyProof: (asked) => verifyProof(deps, asked),
      ...over,
    }),
    clock,
  };
  return deps;
}

export function enrolled(outcome: SetupOutcome): Session {
  if (outcome.kind !== "enrolled") throw new Error(`expected an enrolment, got ${JSON.stringify(outcome)}`);
  return outcome.session;
}

export function signedIn(outcome: SignIn): Session {
  if (outcome.kind !== "signed_in") throw new Error(`expected a sign-in, got ${JSON.stringify(outcome)}`);
  return outcome.session;
}

export async function openSessionOf(deps: EngineDeps, name: string, password = PASSWORD): Promise<Session> {
  return signedIn(await signInWithPassword(deps, { name, password, from: FROM }));
}

/** Enrols the first reviewer with a passkey, the whole way. */
export async function enrolWithPasskey(
  deps: EngineDeps,
  name = "Anna",
): Promise<{ session: Session; authenticator: Authenticator }> {
  const { code } = await makeSetupCode(deps, "olga");
  const begun = await beginPasskeySetup(deps, { code, name, from: FROM });
  if (begun.kind !== "begun") throw new Error(`expected a ceremony, got ${JSON.stringify(begun)}`);
  const authenticator = new Authenticator(deps.publicUrl);
  const response = authenticator.create(begun.options);
  const outcome = await setUpWithPasskey(deps, { code, name, challengeId: begun.challengeId, response, from: FROM });
  return { session: enrolled(outcome), authenticator };
}
