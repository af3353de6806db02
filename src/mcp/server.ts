/**
 * The MCP server: one factory for both protocol eras and every transport.
 *
 * Tools are listed and called through the SDK's plain request handlers, not `registerTool`: that would strip inputs
 * it does not know (we name them in `ignored`), close our open output schemas, and answer bad input in its own words.
 * The definitions are made once, at load: made for each request they would cost more than the call.
 */
import { createRequire } from "node:module";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type ServerContext,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import type { Approvals } from "../approval/approvals.ts";
import type { Clock } from "../engine/clock.ts";
import { newPushes, type Pushes } from "./pushes.ts";
import type { CallSource } from "./source.ts";
import type { Arguments, Call, Tool } from "./tool.ts";
import { elicitApproval } from "./tools/elicit_approval.ts";
import { awaitInput, elicitAwait } from "./tools/elicit_await.ts";
import { elicitCancel } from "./tools/elicit_cancel.ts";
import { elicitList } from "./tools/elicit_list.ts";
import { elicitPing } from "./tools/elicit_ping.ts";
import { elicitResult } from "./tools/elicit_result.ts";
import { elicitStatus } from "./tools/elicit_status.ts";
import { answer, failure, internalError, isTellable } from "./wire.ts";

/** A fault of our own, for the log. */
export interface Report {
  /** Also told to the caller, so that the two can be brought together. */
  readonly id: string;
  readonly where: string;
  readonly error: unknown;
}

/** What the transport knows about one request and the SDK does not carry. */
export interface Carried {
  /** The port of the agent that sent this very request. */
  readonly approvals: Approvals;
  readonly source: CallSource;
  /** False once nobody reads this request's answer any more. */
  isOpen(): boolean;
}

export interface ServerOptions {
  /** What `tools/list` answers; see {@link listTools}. */
  readonly listed: readonly ListedTool[];
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly report: (report: Report) => void;
  /** Finds what the transport carries for the request being handled. */
  readonly carried: (ctx: ServerContext) => Carried;
}

export interface BuiltServer {
  readonly mcp: McpServer;
  /** URL-mode elicitations that were offered on this server's connection. */
  readonly pushes: Pushes;
}

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

export const TOOLS: readonly Tool[] = [
  elicitApproval,
  elicitAwait,
  elicitStatus,
  elicitResult,
  elicitCancel,
  elicitList,
  elicitPing,
];
const BY_NAME = new Map(TOOLS.map((tool) => [tool.listed.name, tool]));

export const INSTRUCTIONS =
  "Countersign asks a person before you act. For anything risky or irreversible: (1) elicit_approval with exactly what will run in `context`; show the returned reviewUrl to your user. " +
  "(2) elicit_await until there is a `decision`; `pending` is not a refusal, so call it again. (3) elicit_result, and on `submitted` run exactly the `context` it hands back. " +
  "Only a person, signed in on the review page, decides: you cannot, and no tool here can. `declined`, `expired` and `canceled` mean do not run it. " +
  "Approvals survive disconnects and restarts: keep the elicitationId, or find it with elicit_list.";

const NAME_LIMIT = 200;

/** The definitions of all tools, made once for an endpoint. @param awaitMaxSeconds The operator's limit for one wait. */
export function listTools(awaitMaxSeconds: number): readonly ListedTool[] {
  return TOOLS.map((tool) =>
    tool === elicitAwait ? { ...tool.listed, inputSchema: awaitInput(awaitMaxSeconds) } : tool.listed,
  );
}

export function newMcpServer(options: ServerOptions): BuiltServer {
  const mcp = new McpServer(
    { name: "countersign", title: "Countersign", version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: 3_600_000, cacheScope: "private" } },
    },
  );
  const pushes = newPushes(mcp);
  mcp.server.setRequestHandler("tools/list", () => ({ tools: [...options.listed] }));
  mcp.server.setRequestHandler("tools/call", (request, ctx) => {
    const tool = BY_NAME.get(request.params.name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool ${JSON.stringify(request.params.name.slice(0, 80))}. The tools here are ${[...BY_NAME.keys()].join(", ")}.`,
      );
    }
    return answerCall(tool, request.params.arguments ?? {}, ctx, { options, mcp, pushes });
  });
  return { mcp, pushes };
}

interface Connection extends BuiltServer {
  readonly options: ServerOptions;
}

async function answerCall(
  tool: Tool,
  args: Arguments,
  ctx: ServerContext,
  connection: Connection,
): Promise<CallToolResult> {
  try {
    const carried = connection.options.carried(ctx);
    if (carried.source.fault !== undefined) throw carried.source.fault;
    const fields = await tool.call(args, newCall(ctx, carried, connection));
    const ignored = fields["ignored"] ?? Object.keys(args).filter((name) => !isInput(tool, name));
    return answer({ ...fields, ignored: Array.isArray(ignored) && ignored.length > 0 ? ignored : undefined });
  } catch (error) {
    const told = isTellable(error);
    if (told && error.code !== "internal" && error.code !== "unavailable") return failure(error);
    const id = crypto.randomUUID();
    connection.options.report({ id, where: tool.listed.name, error });
    return failure(told && error.code === "unavailable" ? error : internalError(id));
  }
}

function isInput(tool: Tool, name: string): boolean {
  return Object.hasOwn(tool.listed.inputSchema.properties ?? {}, name);
}

function newCall(ctx: ServerContext, carried: Carried, { options, mcp, pushes }: Connection): Call {
  const { clock, publicUrl } = options;
  const progressToken = ctx.mcpReq._meta?.progressToken;
  return {
    approvals: carried.approvals,
    publicUrl,
    contextText: carried.source.contextText,
    client: clientOf(ctx, mcp),
    signal() {
      // A legacy disconnect reaches the SDK's own signal never, the request's always.
      const request = ctx.http?.req;
      return request === undefined ? ctx.mcpReq.signal : AbortSignal.any([ctx.mcpReq.signal, request.signal]);
    },
    every(ms, fire) {
      let stop: () => void;
      const again = (): void => {
        stop = clock.timer(ms, again);
        fire();
      };
      stop = clock.timer(ms, again);
      // The variable, not its first value: each round sets a new timer.
      return () => stop();
    },
    progress(progress, message) {
      if (progressToken === undefined) return;
      ctx.mcpReq
        .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
        .catch(() => undefined);
    },
    push(offer) {
      const isLegacy = ctx.mcpReq.envelope === undefined;
      if (!isLegacy || capabilitiesOf(ctx, mcp)?.elicitation?.url === undefined) return Promise.resolve(false);
      return pushes.offer(ctx, offer, carried.isOpen);
    },
  };
}

/** On 2026-07-28 each request says it itself; before, `initialize` said it once. */
function capabilitiesOf(ctx: ServerContext, mcp: McpServer): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  // The SDK has checked the envelope's shape before a handler runs.
  return (
    (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? mcp.server.getClientCapabilities()
  );
}

function clientOf(ctx: ServerContext, mcp: McpServer): Call["client"] {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  const claimed = (envelope?.[CLIENT_INFO_META_KEY] as Implementation | undefined) ?? mcp.server.getClientVersion();
  if (typeof claimed?.name !== "string" || typeof claimed.version !== "string") return undefined;
  return { name: cut(claimed.name), version: cut(claimed.version) };
}

/** A claim that is shown to the reviewer: cut to a length a page can hold, never through a surrogate pair. */
function cut(text: string): string {
  return text.slice(0, NAME_LIMIT).toWellFormed();
}
