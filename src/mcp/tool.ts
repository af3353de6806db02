/** What a tool is here: how it is listed, and what it does with a call. A tool is handed its requester's port and nothing else. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { STATUSES } from "../approval/approval.ts";
import type { Approvals } from "../approval/approvals.ts";
import type { Fields } from "./wire.ts";

/** The arguments of one call, not yet validated; no member is known to have the right type. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Offer {
  readonly elicitationId: string;
  readonly message: string;
  readonly url: string;
}

/** One call, with what a tool may need besides its arguments. */
export interface Call {
  /** The port of the agent that calls. */
  readonly approvals: Approvals;
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  /** The source text of the argument `context`; undefined when it was not sent. */
  readonly contextText: string | undefined;
  /** What the host program says it is. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Aborts when nobody can receive the answer any more. On 2026-07-28 it also aborts after a normal end. */
  signal(): AbortSignal;
  /** Calls `fire` every `ms` milliseconds until the returned function is called. */
  every(ms: number, fire: () => void): () => void;
  /** Tells a client that asked for it how far the call is; `progress` must grow. Does nothing otherwise, never fails. */
  progress(progress: number, message: string): void;
  /**
   * Offers the host a URL-mode elicitation and does not wait for the person.
   *
   * @returns true only when the offer was written to the call's own stream.
   */
  push(offer: Offer): Promise<boolean>;
}

export interface Tool {
  readonly listed: ListedTool;
  /** Throws `ApprovalError` for the caller's faults. */
  call(args: Arguments, call: Call): Promise<Fields>;
}

type Properties = Readonly<Record<string, object>>;
type ListedProperties = NonNullable<ListedTool["inputSchema"]["properties"]>;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const IGNORED_OUTPUT = {
  type: "array",
  items: { type: "string" },
  description: "Inputs that nothing here understands.",
} as const;

/** The input schema is for the model to read: our own code validates, so unknown members reach it and are named. */
export function inputSchema(properties: Properties, required: readonly string[] = []): ListedTool["inputSchema"] {
  return {
    $schema: DIALECT,
    type: "object",
    properties: { ...properties } as ListedProperties,
    required: [...required],
  };
}

/** Open, so that a later version can add members without breaking a client that validates. */
export function outputSchema(
  properties: Properties,
  required: readonly string[] = [],
): NonNullable<ListedTool["outputSchema"]> {
  return {
    $schema: DIALECT,
    type: "object",
    properties: { ...properties, ignored: IGNORED_OUTPUT },
    required: [...required],
    additionalProperties: true,
  };
}

export const ID_INPUT = { type: "string", description: "The elicitationId that elicit_approval returned." } as const;
export const STATUS_OUTPUT = { type: "string", enum: STATUSES } as const;
export const DECISION_OUTPUT = {
  type: "string",
  enum: ["submitted", "declined"],
  description: "What the person decided; absent while there is no decision.",
} as const;
export const TIME_OUTPUT = { type: "string", description: "ISO 8601, UTC." } as const;
