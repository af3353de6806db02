import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  assertionOptions,
  type Passkey,
  passkeyIdOf,
  registrationOptions,
  verifyAssertion,
  verifyRegistration,
} from "../../src/identity/passkey.ts";
import { Authenticator, type Tampering } from "../support/authenticator.ts";

const SITE = { rpId: "localhost", origin: "http://localhost:4747" };
const PERSON = { id: "person_1", name: "Anna" };
const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(32));

async function enrolled(): Promise<{ authenticator: Authenticator; passkey: Passkey }> {
  const authenticator = new Authenticator(SITE.origin);
  const challenge = bytes();
  const passkey = await verifyRegistration(
    SITE,
    authenticator.create(await registrationOptions(SITE, PERSON, challenge, [])),
    challenge,
  );
  if (passkey === undefined) throw new Error("an honest registration was refused");
  return { authenticator, passkey };
}

const TAMPERED: [string, Tampering][] = [
  ["no user verification", { userVerified: false }],
  ["nobody present", { userPresent: false, userVerified: false }],
  ["another origin", { origin: "http://localhost:4748" }],
  ["the same host over https", { origin: "https://localhost:4747" }],
  ["another site", { rpId: "evil.example" }],
  ["another challenge", { challenge: Buffer.from(randomBytes(32)).toString("base64url") }],
  ["a frame on a foreign page", { crossOrigin: true }],
  ["the other ceremony", { type: "webauthn.something" }],
];

describe("registration", () => {
  test("demands a discoverable credential, user verification and no attestation", async () => {
    const options = await registrationOptions(SITE, PERSON, bytes(), [
      { id: "AAAA", publicKey: "", signCount: 0, transports: ["usb"], synced: false, aaguid: "" },
    ]);
    expect(options).toMatchObject({
      rp: { id: "localhost", name: "Countersign" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      excludeCredentials: [{ id: "AAAA", type: "public-key", transports: ["usb"] }],
    });
    expect(Buffer.from((options["user"] as { id: string }).id, "base64url").toString()).toBe("person_1");
  });

  test("of an honest authenticator gives its key", async () => {
    const { passkey } = await enrolled();
    expect(passkey).toMatchObject({
      signCount: 0,
      transports: ["internal"],
      synced: false,
      aaguid: "00000000-0000-0000-0000-000000000000",
    });
    expect(passkey.id).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test.each(TAMPERED)("is refused for %s", async (_, wrong) => {
    const challenge = bytes();
    const response = new Authenticator(SITE.origin).create(
      await registrationOptions(SITE, PERSON, challenge, []),
      wrong,
    );
    expect(await verifyRegistration(SITE, response, challenge)).toBeUndefined();
  });

  test("with an attestation that nobody asked for is taken if the key itself made it, and refused if that is wrong", async () => {
    for (const [wrong, taken] of [
      [{ selfAttested: true }, true],
      [{ selfAttested: true, userVerified: false }, false],
    ] as const) {
      const challenge = bytes();
      const response = new Authenticator(SITE.origin).create(
        await registrationOptions(SITE, PERSON, challenge, []),
        wrong,
      );
      expect((await verifyRegistration(SITE, response, challenge)) !== undefined).toBe(taken);
    }
  });
});

describe("an assertion", () => {
  test("of an honest authenticator verifies, and its evidence can be verified again", async () => {
    const { authenticator, passkey } = await enrolled();
    const challenge = bytes();
    const response = authenticator.get(await assertionOptions(SITE, challenge, [passkey]));
    const assertion = await verifyAssertion(SITE, response, challenge, passkey);
    expect(assertion).toMatchObject({ passkeyId: passkey.id, signCount: 1, userHandle: "person_1" });
    if (assertion === undefined) throw new Error("an honest assertion was refused");
    const { clientDataJSON, authenticatorData, signature, publicKey } = assertion.evidence as Record<string, string>;
    const again = {
      id: passkey.id,
      rawId: passkey.id,
      type: "public-key",
      response: { clientDataJSON, authenticatorData, signature },
    };
    expect(await verifyAssertion(SITE, again, challenge, { ...passkey, publicKey: publicKey ?? "" })).toBeDefined();
    expect(assertion.evidence).toMatchObject({
      v: 1,
      kind: "passkey",
      rpId: "localhost",
      origin: SITE.origin,
      flags: { up: true, uv: true, be: false, bs: false },
    });
  });

  test.each<[string, Tampering]>([
    ...TAMPERED,
    ["a broken signature", { badSignature: true }],
    ["another credential's id", { credentialId: "AAAA" }],
  ])("is refused for %s", async (_, wrong) => {
    const { authenticator, passkey } = await enrolled();
    const challenge = bytes();
    const response = authenticator.get(await assertionOptions(SITE, challenge, [passkey]), wrong);
    expect(await verifyAssertion(SITE, response, challenge, passkey)).toBeUndefined();
  });

  test("with a page that asked for no user verification is refused all the same: the signed flag counts", async () => {
    const { authenticator, passkey } = await enrolled();
    const challenge = bytes();
    const options = { ...(await assertionOptions(SITE, challenge, [passkey])), userVerification: "discouraged" };
    expect(
      await verifyAssertion(SITE, authenticator.get(options, { userVerified: false }), challenge, passkey),
    ).toBeUndefined();
  });

  test("of another key under this key's id is refused", async () => {
    const { passkey } = await enrolled();
    const other = await enrolled();
    const challenge = bytes();
    const response = other.authenticator.get(await assertionOptions(SITE, challenge, []), { credentialId: passkey.id });
    expect(await verifyAssertion(SITE, response, challenge, passkey)).toBeUndefined();
  });

  test("[BR 180] at the https origin of a proxy is judged by the public URL, not by what the server listens on", async () => {
    const site = { rpId: "approve.example.com", origin: "https://approve.example.com" };
    const authenticator = new Authenticator(site.origin);
    const challenge = bytes();
    const passkey = await verifyRegistration(
      site,
      authenticator.create(await registrationOptions(site, PERSON, challenge, [])),
      challenge,
    );
    if (passkey === undefined) throw new Error("an honest registration was refused");
    const next = bytes();
    const options = await assertionOptions(site, next, [passkey]);
    expect(await verifyAssertion(site, authenticator.get(options), next, passkey)).toBeDefined();
    expect(
      await verifyAssertion(site, authenticator.get(options, { origin: "http://approve.example.com" }), next, passkey),
    ).toBeUndefined();
  });

  test("with a counter that runs backwards is no refusal: synced passkeys always report 0", async () => {
    const { authenticator, passkey } = await enrolled();
    const challenge = bytes();
    const response = authenticator.get(await assertionOptions(SITE, challenge, [passkey]), { signCount: 3 });
    expect(await verifyAssertion(SITE, response, challenge, { ...passkey, signCount: 9 })).toMatchObject({
      signCount: 3,
    });
  });
});

describe("what a browser sends that is no answer", () => {
  const shapes: unknown[] = [
    undefined,
    null,
    0,
    "",
    "text",
    [],
    {},
    { id: "AAAA" },
    { id: "AAAA", rawId: "AAAA", type: "public-key" },
    { id: "AAAA", rawId: "AAAA", type: "public-key", response: null },
    {
      id: "AAAA",
      rawId: "AAAA",
      type: "public-key",
      response: { clientDataJSON: 1, authenticatorData: {}, signature: [] },
    },
    {
      id: "AAAA",
      rawId: "AAAA",
      type: "public-key",
      response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA", attestationObject: "AAAA" },
    },
    {
      id: "AAAA",
      rawId: "AAAA",
      type: "public-key",
      response: {
        clientDataJSON: Buffer.from("null").toString("base64url"),
        authenticatorData: "AAAA",
        signature: "AAAA",
        attestationObject: "_w",
      },
    },
    {
      id: "A".repeat(2_000),
      rawId: "A".repeat(2_000),
      type: "public-key",
      response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
    },
  ];

  test.each(shapes.map((shape) => [shape]))("is refused and never throws (%#)", async (shape) => {
    const { passkey } = await enrolled();
    expect(await verifyAssertion(SITE, shape, bytes(), { ...passkey, id: "AAAA" })).toBeUndefined();
    expect(await verifyRegistration(SITE, shape, bytes())).toBeUndefined();
  });

  test("names no passkey", () => {
    expect(passkeyIdOf({ id: "AAAA" })).toBeUndefined();
    expect(passkeyIdOf(null)).toBeUndefined();
  });
});
