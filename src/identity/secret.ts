/** Secrets that are shown once and stored only as a hash: session cookies, agent tokens, setup codes. */
import { createHash } from "node:crypto";

/** What a secret opens; part of the hashed bytes, so that one kind never passes as another. */
export type SecretKind = "agent-token" | "session" | "setup-code";

/**
 * 64 hex digits of SHA-256. A fast hash is enough here, and only here: these secrets are random and at least
 * 75 bits long, so there is nothing to guess. Passwords go through `password.ts`.
 */
export function hashSecret(kind: SecretKind, secret: string): string {
  return createHash("sha256").update(`countersign/${kind}/v1\0`).update(secret, "utf8").digest("hex");
}

/** Whether text can be one of our random ids: 16 bytes, base64url. What comes from outside is asked before it is looked up. */
export function isRandomId(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text);
}

export function encodeBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

export function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64url"));
}
