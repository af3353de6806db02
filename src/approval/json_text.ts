/**
 * JSON as text: what `JSON.parse` would lose is found here, in the source, before anything is parsed.
 *
 * A parser rounds numbers, keeps the last of two equal keys and lets lone surrogates through. A person approves
 * exactly what runs only if none of that can happen, so such text is refused. Grammar: RFC 8259.
 */
import { ApprovalError, type ErrorCode } from "./errors.ts";
import { readString, skipBlanks, valueEnd } from "./json_tokens.ts";
import { isExactNumber } from "./number_text.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonFaultKind =
  | "syntax"
  | "duplicate_key"
  | "unsafe_number"
  | "lone_surrogate"
  | "forbidden_key"
  | "too_deep"
  | "too_many_values";

export interface JsonFault {
  readonly kind: JsonFaultKind;
  /** RFC 6901 pointer to the value or member at fault; to what encloses it where the whole would pass 1,000 characters. */
  readonly pointer: string;
  /** A sentence for a model: what is wrong and what to send instead. */
  readonly message: string;
}

export interface ScanOptions {
  /** The pointer of the scanned value itself; default the empty pointer. */
  readonly pointer?: string;
  /** How many objects and arrays may lie inside one another; no limit by default. */
  readonly maxDepth?: number;
  /** How many values, containers included, the text may hold; no limit by default. */
  readonly maxValues?: number;
}

interface Frame {
  /** The keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  /** The member that is being read: a key, or an index. */
  at: string | number;
}

const POINTER_LENGTH = 1_000;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERALS = ["true", "false", "null"] as const;

/**
 * The first fault of a JSON text, or undefined when `JSON.parse` reads from it exactly what it says.
 *
 * One pass, linear in the length; nothing is called recursively, so depth costs memory only. Never throws.
 */
export function scanJson(text: string, options: ScanOptions = {}): JsonFault | undefined {
  const { pointer: base = "", maxDepth = Infinity, maxValues = Infinity } = options;
  const frames: Frame[] = [];
  let at = 0;
  let values = 0;

  function fault(kind: JsonFaultKind, message: string): JsonFault {
    let pointer = base;
    for (const frame of frames) {
      if (frame.at === -1) break;
      const step = `/${escapeKey(String(frame.at))}`;
      if (pointer.length + step.length > POINTER_LENGTH) break;
      pointer += step;
    }
    // A key may hold half a character; the answer that carries the pointer must not.
    return { kind, pointer: pointer.toWellFormed(), message };
  }
  function syntax(expected: string): JsonFault {
    const found =
      at < text.length ? `found ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}` : "the text ends";
    return fault("syntax", `This is not valid JSON: at character ${at} ${expected} was expected, but ${found}.`);
  }

  /** Reads `"key":` into the innermost frame. */
  function readKey(frame: Frame, keys: Set<string>): JsonFault | undefined {
    frame.at = -1;
    const string = readString(text, at);
    if (string === undefined)
      return syntax("a key in double quotes, with valid escapes and no raw control characters,");
    const key = string.content;
    at = skipBlanks(text, string.end);
    frame.at = key;
    if (!key.isWellFormed())
      return fault("lone_surrogate", "This key holds half of a surrogate pair. Use whole Unicode characters.");
    if (key === "__proto__") return fault("forbidden_key", "The key __proto__ is not allowed. Rename it.");
    if (keys.has(key)) return fault("duplicate_key", "This key appears twice in one object. Keep one of them.");
    keys.add(key);
    if (text[at] !== ":") return syntax("a colon");
    at = skipBlanks(text, at + 1);
    return undefined;
  }

  at = skipBlanks(text, at);
  value: for (;;) {
    values += 1;
    if (values > maxValues)
      return fault("too_many_values", `There are more than ${maxValues} values. Send fewer, or a summary with a link.`);
    const first = text[at];
    if (first === "{" || first === "[") {
      if (frames.length >= maxDepth)
        return fault("too_deep", `Objects and arrays are nested more than ${maxDepth} deep. Flatten them.`);
      const frame: Frame = { keys: first === "{" ? new Set() : undefined, at: -1 };
      frames.push(frame);
      at = skipBlanks(text, at + 1);
      if (text[at] !== (first === "{" ? "}" : "]")) {
        if (frame.keys === undefined) frame.at = 0;
        else {
          const wrong = readKey(frame, frame.keys);
          if (wrong !== undefined) return wrong;
        }
        continue value;
      }
      // Empty: fall through to the closing below.
    } else if (first === '"') {
      const string = readString(text, at);
      if (string === undefined)
        return syntax("a string with valid escapes, no raw control characters and a closing quote");
      if (!string.content.isWellFormed())
        return fault("lone_surrogate", "This string holds half of a surrogate pair. Use whole Unicode characters.");
      at = string.end;
    } else {
      const literal = LITERALS.find((word) => word[0] === first && text.startsWith(word, at));
      NUMBER.lastIndex = at;
      const number = literal === undefined ? NUMBER.exec(text)?.[0] : undefined;
      if (literal === undefined && number === undefined) return syntax("a value");
      if (number !== undefined && !isExactNumber(number)) {
        return fault("unsafe_number", "This number would be changed by a 64-bit float. Send it as a string.");
      }
      at += (literal ?? number ?? "").length;
    }

    // A value has ended: go on with the next one of the innermost container, closing those that end here.
    for (;;) {
      at = skipBlanks(text, at);
      const frame = frames.at(-1);
      if (frame === undefined) return at === text.length ? undefined : syntax("the end");
      if (text[at] === ",") {
        at = skipBlanks(text, at + 1);
        if (frame.keys === undefined) frame.at = Number(frame.at) + 1;
        else {
          const wrong = readKey(frame, frame.keys);
          if (wrong !== undefined) return wrong;
        }
        continue value;
      }
      if (text[at] !== (frame.keys === undefined ? "]" : "}"))
        return syntax(frame.keys === undefined ? "a comma or ]" : "a comma or }");
      at += 1;
      frames.pop();
    }
  }
}

/**
 * The source text of the value at a path, taken as `JSON.parse` would: of equal keys the last one counts.
 *
 * For text that `JSON.parse` accepts; for other text the answer may be anything, but it never throws.
 *
 * @returns undefined when there is no such value.
 */
export function sliceAt(text: string, path: readonly (string | number)[]): string | undefined {
  let start = skipBlanks(text, 0);
  let end = valueEnd(text, start);
  for (const step of path) {
    const isKey = typeof step === "string";
    if (end === -1 || text[start] !== (isKey ? "{" : "[")) return undefined;
    let found: readonly [number, number] | undefined;
    let at = skipBlanks(text, start + 1);
    for (let index = 0; at < end - 1; index += 1) {
      let matches = index === step;
      if (isKey) {
        const key = readString(text, at);
        if (key === undefined) return undefined;
        matches = key.content === step;
        at = skipBlanks(text, skipBlanks(text, key.end) + 1);
      }
      const ends = valueEnd(text, at);
      if (ends === -1) return undefined;
      if (matches) found = [at, ends];
      at = skipBlanks(text, skipBlanks(text, ends) + 1);
    }
    if (found === undefined) return undefined;
    [start, end] = found;
  }
  return end === -1 ? undefined : text.slice(start, end);
}

const CODES: Readonly<Record<JsonFaultKind, ErrorCode>> = {
  syntax: "invalid_request",
  duplicate_key: "invalid_request",
  unsafe_number: "unsafe_number",
  lone_surrogate: "invalid_request",
  forbidden_key: "invalid_request",
  too_deep: "too_large",
  too_many_values: "too_large",
};

/** The fault as the error that a caller gets. */
export function faultError(fault: JsonFault): ApprovalError {
  return new ApprovalError(CODES[fault.kind], fault.message, { path: fault.pointer });
}

/** One step of an RFC 6901 pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
