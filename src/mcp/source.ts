/**
 * The source text of an MCP message, read before anything parses it for good.
 *
 * `JSON.parse` rounds numbers and keeps the last of two equal keys. What a person approves must be what was sent, so
 * the arguments of a call are checked in their source, and the payload's text is taken from it as it stands. A fault
 * outside the arguments refuses the whole message: nobody may make this check and the parser see different arguments.
 */
import { ApprovalError } from "../approval/errors.ts";
import { faultError, type JsonFault, scanJson, sliceAt } from "../approval/json_text.ts";

/** How many messages one JSON-RPC batch may hold (revision 2025-03-26 allows batches). */
export const MAX_BATCH = 32;
/** Far above what any input allows, so that no code behind this meets bottomless nesting. */
const MAX_DEPTH = 100;
const ARGUMENTS = "/params/arguments";

/** What the parsed arguments of one call no longer tell. */
export interface CallSource {
  /** The text of the argument `context`; undefined when it was not sent. */
  readonly contextText: string | undefined;
  /** Why the arguments cannot be used, with a pointer from the arguments. */
  readonly fault: ApprovalError | undefined;
}

export type ReadMessage =
  | {
      readonly kind: "message";
      /** Parsed, with unusable arguments taken out. */
      readonly message: unknown;
      /** By JSON-RPC id, for each `tools/call`. */
      readonly sources: ReadonlyMap<string | number, CallSource>;
    }
  | { readonly kind: "refused"; readonly code: number; readonly message: string; readonly id: string | number | null };

/** JSON-RPC 2.0: the text is not JSON. */
const PARSE_ERROR = -32700;
/** JSON-RPC 2.0: it is JSON, but not a usable request. */
const INVALID_REQUEST = -32600;

/** Reads one JSON-RPC message or batch. Never throws. */
export function readMessage(text: string): ReadMessage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refused(PARSE_ERROR, "The body is not valid JSON.", null);
  }
  const sources = new Map<string | number, CallSource>();
  if (!Array.isArray(parsed)) return readOne(text, parsed, sources);
  if (parsed.length > MAX_BATCH)
    return refused(INVALID_REQUEST, `A batch may hold at most ${MAX_BATCH} messages.`, null);
  const messages: unknown[] = [];
  for (const [index, each] of parsed.entries()) {
    const read = readOne(sliceAt(text, [index]) ?? "", each, sources);
    if (read.kind === "refused") return refused(read.code, `Message ${index} of the batch: ${read.message}`, null);
    messages.push(read.message);
  }
  return { kind: "message", message: messages, sources };
}

function readOne(text: string, parsed: unknown, sources: Map<string | number, CallSource>): ReadMessage {
  const fault = scanJson(text, { maxDepth: MAX_DEPTH });
  const message = isRecord(parsed) ? parsed : undefined;
  const id = message === undefined ? null : idOf(message);
  const params = message?.["method"] === "tools/call" && isRecord(message["params"]) ? message["params"] : undefined;
  if (fault !== undefined && (params === undefined || !fault.pointer.startsWith(`${ARGUMENTS}/`))) {
    return refused(INVALID_REQUEST, `At ${fault.pointer || "the top"}: ${fault.message}`, id);
  }
  if (params === undefined || id === null) return { kind: "message", message: parsed, sources };
  if (sources.has(id)) return refused(INVALID_REQUEST, "Two calls of one batch have the same id.", null);
  sources.set(id, sourceOf(text, params["arguments"], fault));
  const usable = fault === undefined && isRecord(params["arguments"]);
  return { kind: "message", message: usable ? parsed : { ...message, params: { ...params, arguments: {} } }, sources };
}

function sourceOf(text: string, args: unknown, fault: JsonFault | undefined): CallSource {
  if (fault !== undefined)
    return { contextText: undefined, fault: faultError({ ...fault, pointer: fault.pointer.slice(ARGUMENTS.length) }) };
  if (args === undefined || args === null) return { contextText: undefined, fault: undefined };
  if (!isRecord(args)) {
    return {
      contextText: undefined,
      fault: new ApprovalError("invalid_request", "The arguments must be a JSON object with the inputs by name.", {
        path: "",
      }),
    };
  }
  return {
    contextText: Object.hasOwn(args, "context") ? sliceAt(text, ["params", "arguments", "context"]) : undefined,
    fault: undefined,
  };
}

function refused(code: number, message: string, id: string | number | null): ReadMessage {
  return { kind: "refused", code, message, id };
}

function idOf(message: Readonly<Record<string, unknown>>): string | number | null {
  const id = message["id"];
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
