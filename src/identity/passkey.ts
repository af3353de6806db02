/**
 * Passkeys (Web Authentication Level 3) over SimpleWebAuthn: discoverable credentials with user verification,
 * demanded at both ends. What a browser sends is never trusted to be well formed: whatever is wrong with it is a
 * refusal (`undefined`), not an exception.
 *
 * Not promised: that an authenticator is of a certain make (attestation is `none`), or that it was not copied. The
 * sign counter is kept, but one that runs backwards is no refusal: synced passkeys always report 0.
 */
import type { ParsedAuthenticatorData } from "@simplewebauthn/server/helpers";
import type { JsonValue } from "../approval/json_text.ts";
import { type AssertionResponse, readAssertion, readRegistration } from "./passkey_response.ts";
import { decodeBytes, encodeBytes } from "./secret.ts";

/** Who the passkeys belong to. An IP address cannot be an rpId: no browser accepts one. */
export interface RelyingParty {
  /** The public URL's host name. */
  readonly rpId: string;
  /** The public origin, without a trailing slash. */
  readonly origin: string;
}

export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** Whether it is synced between devices, as the authenticator says. */
  readonly synced: boolean;
  /** The authenticator's model; all zeros where it does not tell. Not proved. */
  readonly aaguid: string;
}

export interface Assertion {
  readonly passkeyId: string;
  readonly signCount: number;
  /** The person's id, if the authenticator returned it. */
  readonly userHandle: string | undefined;
  /** All that somebody needs to verify the signature again. */
  readonly evidence: JsonValue;
}

/** What `startRegistration` and `startAuthentication` of SimpleWebAuthn's browser part take. */
export type BrowserOptions = { readonly [key: string]: unknown };

const ALGORITHMS = [-8, -7, -257]; // EdDSA, ES256, RS256: what every runtime that may verify a receipt can check
const TIMEOUT_MS = 5 * 60_000;

// At first use: they take as long to load as all the rest, and most commands touch no passkey.
const library = () => import("@simplewebauthn/server");
const helpers = () => import("@simplewebauthn/server/helpers");

/** @param person The id is stored in the authenticator and comes back as the user handle. */
export async function registrationOptions(
  party: RelyingParty,
  person: { readonly id: string; readonly name: string },
  challenge: Uint8Array<ArrayBuffer>,
  known: readonly Passkey[],
): Promise<BrowserOptions> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: "Countersign",
    rpID: party.rpId,
    userID: new TextEncoder().encode(person.id),
    userName: person.name,
    userDisplayName: person.name,
    challenge,
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { ...options };
}

/** @param response The browser's RegistrationResponseJSON, as it came. */
export async function verifyRegistration(
  party: RelyingParty,
  response: unknown,
  challenge: Uint8Array,
): Promise<Passkey | undefined> {
  const read = readRegistration(response);
  if (read === undefined) return undefined;
  const { verifyRegistrationResponse } = await library();
  const { decodeAttestationObject, decodeClientDataJSON } = await helpers();
  try {
    // Self-attestation comes as `packed` even where none was asked for (§5.1.3). The other formats carry certificates
    // with roots the library knows, whose revocation lists it would fetch from wherever they say.
    const format = decodeAttestationObject(decodeBytes(read.response.attestationObject)).get("fmt");
    if (format !== "none" && format !== "packed") return undefined;
    if (decodeClientDataJSON(read.response.clientDataJSON).crossOrigin) return undefined;
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: read,
      expectedChallenge: encodeBytes(challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    return {
      id: info.credential.id,
      publicKey: encodeBytes(info.credential.publicKey),
      signCount: info.credential.counter,
      transports: read.response.transports ?? [],
      synced: info.credentialDeviceType === "multiDevice",
      aaguid: info.aaguid,
    };
  } catch {
    return undefined;
  }
}

/** @param allowed Which passkeys may answer; empty lets the person choose among those stored for this site. */
export async function assertionOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  allowed: readonly Passkey[],
): Promise<BrowserOptions> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: party.rpId,
    challenge,
    timeout: TIMEOUT_MS,
    userVerification: "required",
    allowCredentials: allowed.map(describe),
  });
  return { ...options };
}

/** Which passkey the browser says it used, to look it up; undefined when the response is malformed. */
export function passkeyIdOf(response: unknown): string | undefined {
  return readAssertion(response)?.id;
}

/**
 * @param response The browser's AuthenticationResponseJSON, as it came.
 * @param challenge The exact bytes that must have been signed.
 * @returns undefined unless this passkey signed this challenge, at this origin, with the person verified. The same
 *   assertion verifies again and again: whoever made the challenge must burn it.
 */
export async function verifyAssertion(
  party: RelyingParty,
  response: unknown,
  challenge: Uint8Array,
  passkey: Passkey,
): Promise<Assertion | undefined> {
  const read = readAssertion(response);
  if (read === undefined || read.id !== passkey.id) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const { decodeClientDataJSON, parseAuthenticatorData } = await helpers();
  try {
    if (decodeClientDataJSON(read.response.clientDataJSON).crossOrigin) return undefined;
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: read,
      expectedChallenge: encodeBytes(challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      // The library refuses a counter that runs backwards; told 0, it only checks the signature.
      credential: { id: passkey.id, publicKey: decodeBytes(passkey.publicKey), counter: 0 },
      requireUserVerification: true,
    });
    if (!verified || !info.userVerified) return undefined;
    return {
      passkeyId: passkey.id,
      signCount: info.newCounter,
      userHandle:
        read.response.userHandle === undefined
          ? undefined
          : Buffer.from(read.response.userHandle, "base64url").toString("utf8"),
      evidence: evidenceOf(party, read, passkey, parseAuthenticatorData(decodeBytes(read.response.authenticatorData))),
    };
  } catch {
    return undefined;
  }
}

function evidenceOf(
  party: RelyingParty,
  read: AssertionResponse,
  passkey: Passkey,
  { flags, counter }: ParsedAuthenticatorData,
): JsonValue {
  const { clientDataJSON, authenticatorData, signature } = read.response;
  return {
    v: 1,
    kind: "passkey",
    rpId: party.rpId,
    origin: party.origin,
    credentialId: passkey.id,
    publicKey: passkey.publicKey,
    aaguid: passkey.aaguid,
    clientDataJSON,
    authenticatorData,
    signature,
    flags: { up: flags.up, uv: flags.uv, be: flags.be, bs: flags.bs },
    signCount: counter,
    signCountBefore: passkey.signCount,
  };
}

function describe(passkey: Passkey): { id: string; transports: string[] } {
  return { id: passkey.id, transports: [...passkey.transports] };
}
