/**
 * Canonical JSON (RFC 8785) and the digests made of it.
 *
 * Digest = `sha256:` + lower-case hex of SHA-256(`countersign/<thing>/v1` ‖ 0x00 ‖ RFC 8785 bytes). The prefix keeps
 * a digest of one thing from passing as the digest of another.
 */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { JsonValue } from "./json_text.ts";

/** What a digest can be of; part of the hashed bytes. */
export type Digested =
  | "context"
  | "request"
  | "schema"
  | "answer"
  | "comment"
  | "policy"
  | "rendering"
  | "decision"
  | "event"
  | "commitment";

/** RFC 8785 text of a value. Throws on a lone surrogate or a number that is not finite: check input with `json_text.ts` first. */
export function canonicalText(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("undefined has no canonical JSON");
  return text;
}

/** SHA-256 over the domain-separated canonical bytes: 32 bytes. */
export function digestBytes(thing: Digested, value: JsonValue): Uint8Array<ArrayBuffer> {
  const hash = createHash("sha256")
    .update(`countersign/${thing}/v1`)
    .update("\0")
    .update(canonicalText(value), "utf8")
    .digest();
  return new Uint8Array(hash);
}

/** `sha256:` + 64 lower-case hex digits. */
export function digestOf(thing: Digested, value: JsonValue): string {
  return `sha256:${Buffer.from(digestBytes(thing, value)).toString("hex")}`;
}
