/**
 * Agent tokens: `csk_`, 43 characters (256 random bits, base64url), 6 characters of check sum.
 *
 * The prefix lets secret scanners find a leaked one; the check sum lets a mistyped or made-up one be refused
 * without asking the database. Stored as SHA-256 only.
 */
import { createHash } from "node:crypto";
import { encodeBytes, hashSecret } from "./secret.ts";

const SHAPE = /^csk_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** @param random 32 bytes from a cryptographic source. */
export function newAgentToken(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError("an agent token needs 32 random bytes");
  const body = encodeBytes(random);
  return `csk_${body}${checkSum(body)}`;
}

/** The name under which the token is stored; undefined for text that is no token of ours. */
export function hashAgentToken(token: string): string | undefined {
  const [, body, sum] = SHAPE.exec(token) ?? [];
  if (body === undefined || sum !== checkSum(body)) return undefined;
  return hashSecret("agent-token", token);
}

function checkSum(body: string): string {
  return createHash("sha256").update(`countersign/agent-token-check/v1\0${body}`).digest("base64url").slice(0, 6);
}
