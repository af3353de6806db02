/**
 * The MCP endpoint over Streamable HTTP: both protocol eras on one URL, behind one bearer gate.
 *
 * Order: token, then body (once, as text, at most 1 MiB), then the check of its source, then the era. Revision
 * 2026-07-28 is served statelessly; earlier ones in sessions, because only a session can carry a URL-mode push.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type AuthInfo,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Approvals } from "../approval/approvals.ts";
import { ApprovalError } from "../approval/errors.ts";
import type { Clock } from "../engine/clock.ts";
import type { Agent } from "../engine/engine.ts";
import { readBearer } from "./bearer.ts";
import { MAX_BODY_BYTES, readBody, rpcError } from "./body.ts";
import { listTools, newMcpServer, type Carried, type Report } from "./server.ts";
import { newSessions } from "./sessions.ts";
import { readMessage, type CallSource } from "./source.ts";
import type { Tool } from "./tool.ts";
import { elicitApproval } from "./tools/elicit_approval.ts";
import { elicitAwait, HEARTBEAT_MS } from "./tools/elicit_await.ts";
import { watchBody } from "./watch.ts";

export interface McpEndpointOptions {
  /** The living agent behind a bearer token, or undefined. */
  authenticate(token: string): Promise<Agent | undefined>;
  approvalsOf(agent: Agent): Approvals;
  /** Hears of each approval that closes. @returns a function that stops it. */
  onClosed(listener: (approvalId: string) => void): () => void;
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  /** The longest wait of one call, in seconds; told to the model. */
  readonly awaitMaxSeconds: number;
  readonly clock: Clock;
  /** Hears of each fault of our own, once. */
  report(report: Report): void;
  /** How many legacy sessions are kept in all; default 1000. */
  readonly maxSessions?: number | undefined;
  /** How many of them one agent may hold; default 100. */
  readonly maxSessionsPerAgent?: number | undefined;
}

export interface McpEndpoint {
  /** Serves `POST`, `GET` and `DELETE` of the endpoint's URL. Never rejects. Host and Origin are the caller's to check. */
  fetch(request: Request): Promise<Response>;
  /** Ends sessions, streams and waiting calls. */
  close(): Promise<void>;
}

/** JSON-RPC 2.0: not a usable request. */
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
/** What MCP servers answer for a session that is not there; the HTTP status is what counts. */
const SESSION_NOT_FOUND = -32001;
const SESSION_HEADER = "mcp-session-id";

/** What rides on `authInfo.extra` from here to `carriedOf`. */
interface Extra {
  readonly approvals: Approvals;
  readonly sources: ReadonlyMap<string | number, CallSource>;
  readonly isOpen: () => boolean;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { clock, report } = options;
  const listed = listTools(options.awaitMaxSeconds);
  const build = () =>
    newMcpServer({ listed, publicUrl: options.publicUrl, clock, report: (fault) => report(fault), carried: carriedOf });
  const onerror = (error: Error): void => {
    // The SDK also tells of requests it refused; those are the client's faults.
    if (!("code" in error) && !/^(Rejected|Unsupported)/.test(error.message))
      report({ id: crypto.randomUUID(), where: "mcp", error });
  };
  const handlerOptions = {
    legacy: "reject",
    keepAliveMs: HEARTBEAT_MS,
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror,
  } as const;
  const modern = createMcpHandler(() => build().mcp, handlerOptions);
  // A call that waits opens its stream at once: clients and proxies give up on an answer without a first byte.
  const streaming = createMcpHandler(() => build().mcp, { ...handlerOptions, responseMode: "sse" });
  const sessions = newSessions({
    build,
    clock,
    max: options.maxSessions ?? 1_000,
    maxPerAgent: options.maxSessionsPerAgent ?? 100,
    longestWaitMs: options.awaitMaxSeconds * 1_000,
  });
  const stopListening = options.onClosed((id) => sessions.complete(id));
  let closed = false;

  async function serve(request: Request): Promise<Response> {
    const agent = await readBearer(request, (token) => options.authenticate(token));
    if (agent instanceof Response) return agent;
    let cancelled = false;
    const isOpen = (): boolean => !cancelled && !request.signal.aborted;
    const withSources = (sources: Extra["sources"]): AuthInfo =>
      authInfoOf(agent, { approvals: options.approvalsOf(agent), sources, isOpen });
    if (request.method !== "POST") return serveSession(agent, request, { authInfo: withSources(new Map()) });

    if (!isJsonContentType(request.headers.get("content-type")))
      return rpcError(415, INVALID_REQUEST, "Content-Type must be application/json.");
    const body = await readBody(request);
    if (body.kind === "too_large")
      return rpcError(
        413,
        INVALID_REQUEST,
        `The body is larger than ${MAX_BODY_BYTES} bytes. A payload may have 256 KiB.`,
      );
    if (body.kind === "unreadable") return rpcError(400, INVALID_REQUEST, "The body could not be read as UTF-8.");
    const read = readMessage(body.text);
    if (read.kind === "refused") return rpcError(400, read.code, read.message, { id: read.id });

    const serving = { authInfo: withSources(read.sources), parsedBody: read.message };
    if (isModernRequest(read.message) || !(await isLegacyRequest(request, read.message)))
      return (calls(read.message, elicitAwait) ? streaming : modern).fetch(request, serving);
    if (isInitializeRequest(read.message))
      return (await sessions.open(keyOf(agent), request, serving)) ?? tooManySessions();
    const response = await serveSession(agent, request, serving);
    return calls(read.message, elicitApproval) ? watchBody(response, () => (cancelled = true)) : response;
  }

  async function serveSession(
    agent: Agent,
    request: Request,
    serving: { authInfo: AuthInfo; parsedBody?: unknown },
  ): Promise<Response> {
    const sessionId = request.headers.get(SESSION_HEADER);
    if (sessionId !== null)
      return (
        (await sessions.handle(keyOf(agent), sessionId, request, serving)) ??
        rpcError(404, SESSION_NOT_FOUND, "Session not found. Send `initialize` again to open a new one.")
      );
    if (request.method === "POST")
      return rpcError(
        400,
        INVALID_REQUEST,
        `Send \`initialize\` first and pass the ${SESSION_HEADER} header it returns, or speak revision 2026-07-28, which needs no session.`,
      );
    return rpcError(405, INVALID_REQUEST, "Only POST is served without a session.", { headers: { allow: "POST" } });
  }

  return {
    async fetch(request) {
      if (closed)
        return rpcError(503, INTERNAL_ERROR, "The server is shutting down.", { headers: { "retry-after": "5" } });
      try {
        return await serve(request);
      } catch (error) {
        const id = crypto.randomUUID();
        report({ id, where: "mcp", error });
        if (error instanceof ApprovalError && error.code === "unavailable") {
          return rpcError(503, INTERNAL_ERROR, error.message, {
            headers: { "retry-after": String(error.retryAfterSeconds ?? 5) },
          });
        }
        return rpcError(500, INTERNAL_ERROR, `Something failed inside Countersign. Give the operator this id: ${id}.`);
      }
    },
    async close() {
      closed = true;
      stopListening();
      await Promise.all([modern.close(), streaming.close(), sessions.close()]);
    },
  };
}

function tooManySessions(): Response {
  return rpcError(429, INVALID_REQUEST, "Too many sessions are open. End one with DELETE, or try again in a minute.", {
    headers: { "retry-after": "60" },
  });
}

/** The agent, not one of its tokens: a session survives the rotation of a token. */
function keyOf(agent: Agent): string {
  return `${agent.workspace}/${agent.id}`;
}

/**
 * A request that names its revision in its own envelope is never a legacy one, and the modern handler classifies it
 * again. Without this short cut every call would be classified twice, a tenth of its cost.
 */
function isModernRequest(message: unknown): boolean {
  const { id, method, params } = (message ?? {}) as { id?: unknown; method?: unknown; params?: { _meta?: unknown } };
  const meta: unknown = params?._meta;
  return (
    id !== undefined &&
    typeof method === "string" &&
    method !== "initialize" &&
    typeof meta === "object" &&
    meta !== null &&
    PROTOCOL_VERSION_META_KEY in meta
  );
}

/** True when the message, or one of a batch, calls this tool. */
function calls(message: unknown, tool: Tool): boolean {
  if (Array.isArray(message)) return message.some((each) => calls(each, tool));
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === "tools/call" && params?.name === tool.listed.name;
}

/** The token itself goes no further than the gate. */
function authInfoOf(agent: Agent, extra: Extra): AuthInfo {
  return { token: "", clientId: agent.id, scopes: [], extra: { ...extra } };
}

function carriedOf(ctx: ServerContext): Carried {
  const extra = ctx.http?.authInfo?.extra as Extra | undefined;
  const source = extra?.sources.get(ctx.mcpReq.id);
  // Without the source the payload would be silently lost.
  if (extra === undefined || source === undefined)
    throw new Error("a tool call arrived without what the gate puts on it");
  return { approvals: extra.approvals, source, isOpen: extra.isOpen };
}
