/**
 * A passkey authenticator in software, with the browser's part of the ceremony: real ES256 keys, real CBOR, real
 * signatures (Web Authentication Level 3, §6.1, §6.5). It can also do what an honest pair never does.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** What goes wrong. Everything absent is as it should be. */
export interface Tampering {
  /** The page the browser believes it is on. */
  readonly origin?: string;
  /** The site the authenticator signs for. */
  readonly rpId?: string;
  /** base64url; instead of the one that was asked for. */
  readonly challenge?: string;
  /** False leaves the flag for user verification unset. */
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly crossOrigin?: boolean;
  /** The id of another credential in the place of this one's. */
  readonly credentialId?: string;
  /** Instead of the one stored with the key. */
  readonly userHandle?: string;
  /** Instead of the next one. */
  readonly signCount?: number;
  /** Flips a bit of the signature. */
  readonly badSignature?: boolean;
  /** `webauthn.get` or `webauthn.create`. */
  readonly type?: string;
  /** Attests with the new key itself, as some authenticators do although nobody asked. */
  readonly selfAttested?: boolean;
}

interface StoredKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly cose: Buffer;
  readonly userHandle: string;
  signCount: number;
}

/** The members of the options that an authenticator looks at. */
interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}
interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export class Authenticator {
  readonly #origin: string;
  readonly #keys: StoredKey[] = [];

  /** @param origin Where its browser is. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** What `startRegistration` answers. @param options As `registrationOptions` gave them. */
  create(options: unknown, wrong: Tampering = {}): Record<string, unknown> {
    const { challenge, rp, user } = options as CreationOptions;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const cose = encodeCbor(
      new Map<number, CborValue>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const id = randomBytes(32);
    const key: StoredKey = { id: id.toString("base64url"), privateKey, cose, userHandle: user.id, signCount: 0 };
    this.#keys.push(key);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
    const authData = Buffer.concat([
      authenticatorData(wrong.rpId ?? rp.id, ATTESTED, wrong.signCount ?? 0, wrong),
      attested,
    ]);
    const clientData = this.#clientData("webauthn.create", challenge, wrong);
    const statement = new Map<string, CborValue>();
    if (wrong.selfAttested) statement.set("alg", -7).set("sig", signOver(authData, clientData, privateKey));
    const attestation = encodeCbor(
      new Map<string, CborValue>([
        ["fmt", wrong.selfAttested ? "packed" : "none"],
        ["attStmt", statement],
        ["authData", authData],
      ]),
    );
    return {
      id: key.id,
      rawId: key.id,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      },
      clientExtensionResults: {},
      authenticatorAttachment: "platform",
    };
  }

  /** What `startAuthentication` answers, with the key that was made last unless the options allow others only. */
  get(options: unknown, wrong: Tampering = {}): Record<string, unknown> {
    const { challenge, rpId, allowCredentials } = options as RequestOptions;
    const allowed =
      allowCredentials === undefined || allowCredentials.length === 0
        ? this.#keys
        : this.#keys.filter((key) => allowCredentials.some(({ id }) => id === key.id));
    const key = allowed.at(-1) ?? this.#keys.at(-1);
    if (key === undefined) throw new Error("this authenticator has no key yet");
    key.signCount += 1;
    const authData = authenticatorData(wrong.rpId ?? rpId, 0, wrong.signCount ?? key.signCount, wrong);
    const clientData = this.#clientData("webauthn.get", challenge, wrong);
    const signature = signOver(authData, clientData, key.privateKey);
    if (wrong.badSignature) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
    const id = wrong.credentialId ?? key.id;
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: wrong.userHandle ?? key.userHandle,
      },
      clientExtensionResults: {},
      authenticatorAttachment: "platform",
    };
  }

  #clientData(type: string, challenge: string, wrong: Tampering): Buffer {
    const { origin = this.#origin, crossOrigin = false } = wrong;
    return Buffer.from(
      JSON.stringify({ type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin, crossOrigin }),
    );
  }
}

function signOver(authData: Buffer, clientData: Buffer, privateKey: KeyObject): Buffer {
  return sign("sha256", Buffer.concat([authData, createHash("sha256").update(clientData).digest()]), privateKey);
}

function authenticatorData(rpId: string, more: number, signCount: number, wrong: Tampering): Buffer {
  const { userPresent = true, userVerified = true } = wrong;
  const rest = Buffer.alloc(5);
  rest.writeUInt8((userPresent ? USER_PRESENT : 0) | (userVerified ? USER_VERIFIED : 0) | more);
  rest.writeUInt32BE(signCount, 1);
  return Buffer.concat([createHash("sha256").update(rpId).digest(), rest]);
}

type CborValue = number | string | Buffer | Map<string | number, CborValue>;

/** As much of RFC 8949 as an attestation needs. */
function encodeCbor(value: CborValue): Buffer {
  if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === "string") return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  return Buffer.concat([
    cborHead(5, value.size),
    ...[...value].flatMap(([key, inner]) => [encodeCbor(key), encodeCbor(inner)]),
  ]);
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}
