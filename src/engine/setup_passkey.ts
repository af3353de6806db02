/** The first reviewer, enrolled with a passkey: two steps, since the authenticator signs a challenge of ours. */
import { nameKey, tidyName } from "../identity/name.ts";
import { registrationOptions, verifyRegistration } from "../identity/passkey.ts";
import { decodeBytes, encodeBytes, isRandomId } from "../identity/secret.ts";
import { type Challenge, insertChallenge, takeChallenge } from "../store/challenges.ts";
import { insertPasskey } from "../store/credentials.ts";
import type { EngineDeps } from "./deps.ts";
import type { PasskeyCeremony, SetupInput, SetupOutcome } from "./engine.ts";
import { admitSetup, enrolFirst, newPersonId, type SetupRefusal } from "./setup.ts";
import { CEREMONY_MS } from "./sign_in_passkey.ts";
import { passkeysOff, siteOf } from "./site.ts";

/** What the ceremony was begun with: the second step must come with the same. */
interface Begun {
  readonly nameKey: string;
  readonly codeHash: string;
}

/** A right code is not used up by beginning. */
export async function beginPasskeySetup(
  deps: EngineDeps,
  input: SetupInput & { readonly from: string },
): Promise<({ readonly kind: "begun" } & PasskeyCeremony) | SetupRefusal> {
  const off = passkeysOff(deps);
  if (off !== undefined) return passkeyProblem(off);
  const admitted = await admitSetup(deps, input, input.from, []);
  if (admitted.kind !== "admitted") return admitted;
  const person = { id: newPersonId(deps), name: tidyName(input.name) };
  const challenge = new Uint8Array(deps.randomBytes(32));
  const begun: Begun = { nameKey: nameKey(input.name), codeHash: admitted.codeHash };
  const now = deps.now();
  const stored: Challenge = {
    id: encodeBytes(deps.randomBytes(16)),
    purpose: "enrol",
    person: person.id,
    challenge: encodeBytes(challenge),
    body: JSON.stringify(begun),
    expiresAt: now + CEREMONY_MS,
  };
  await insertChallenge(deps.db, deps.workspace, stored, now);
  return {
    kind: "begun",
    challengeId: stored.id,
    options: await registrationOptions(siteOf(deps), person, challenge, []),
  };
}

export interface PasskeySetup extends SetupInput {
  readonly challengeId: string;
  /** The browser's RegistrationResponseJSON, not yet validated. */
  readonly response: unknown;
  readonly from: string;
  readonly userAgent?: string | undefined;
}

export async function setUpWithPasskey(deps: EngineDeps, input: PasskeySetup): Promise<SetupOutcome> {
  const off = passkeysOff(deps);
  if (off !== undefined) return passkeyProblem(off);
  const admitted = await admitSetup(deps, input, input.from, []);
  if (admitted.kind !== "admitted") return admitted;
  const challenge = isRandomId(input.challengeId)
    ? await takeChallenge(deps.db, deps.workspace, input.challengeId, "enrol", deps.now())
    : undefined;
  const begun = challenge?.body ? (JSON.parse(challenge.body) as Begun) : undefined;
  const person = challenge?.person ?? undefined;
  if (
    challenge === undefined ||
    person === undefined ||
    begun?.codeHash !== admitted.codeHash ||
    begun.nameKey !== nameKey(input.name)
  ) {
    return passkeyProblem(
      "This attempt took longer than five minutes, or was begun with another name or code. Try again.",
    );
  }
  const passkey = await verifyRegistration(siteOf(deps), input.response, decodeBytes(challenge.challenge));
  if (passkey === undefined) {
    return passkeyProblem(
      `The browser's answer could not be verified: it must be a passkey for ${deps.rpId}, made at ${deps.publicUrl}, with your fingerprint, face or PIN. Try again there.`,
    );
  }
  return enrolFirst(deps, {
    codeHash: admitted.codeHash,
    person,
    name: input.name,
    proof: "passkey",
    userAgent: input.userAgent,
    async store(tx, now) {
      const site = { rpId: deps.rpId, origin: deps.publicUrl };
      if (!(await insertPasskey(tx, deps.workspace, person, passkey, site, now)))
        throw new Error("a new passkey is already stored");
    },
  });
}

function passkeyProblem(message: string): SetupRefusal {
  return { kind: "invalid", problems: [{ field: "passkey", message }] };
}
