/** The MCP endpoint over the real engine on SQLite in memory, driven in process by the real SDK client and by raw requests. */
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import type { Approvals } from "../../src/approval/approvals.ts";
import { addAgent } from "../../src/engine/agents.ts";
import { approvalsOf } from "../../src/engine/approvals_of.ts";
import { authenticate } from "../../src/engine/authenticate.ts";
import { decide } from "../../src/engine/decide.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Agent, PrepareInput, Session } from "../../src/engine/engine.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { view } from "../../src/engine/view.ts";
import { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from "../../src/mcp/serve.ts";
import type { Report } from "../../src/mcp/server.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open.ts";
import { type ManualClock, manualClock } from "../support/clock.ts";
import { addTestReviewer, RIGHT, verbDeps } from "../support/verbs.ts";

export const MCP_URL = "http://localhost:4747/mcp";
export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export const ERAS = ["modern", "legacy"] as const;
export type Era = (typeof ERAS)[number];

export interface Answered {
  readonly isError: boolean;
  /** The structured part. */
  readonly structured: Record<string, unknown>;
  /** The text part as it came. */
  readonly text: string;
}

export interface RawOptions {
  readonly token?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Bench extends AsyncDisposable {
  readonly endpoint: McpEndpoint;
  readonly deps: EngineDeps;
  readonly clock: ManualClock;
  readonly agent: Agent;
  readonly token: string;
  readonly approvals: Approvals;
  /** Faults of our own that were reported. */
  readonly reports: Report[];
  addAgent(name: string): Promise<{ agent: Agent; token: string }>;
  connect(
    era: Era,
    options?: {
      token?: string;
      capabilities?: NonNullable<ClientOptions["capabilities"]>;
      before?: (client: Client) => void;
    },
  ): Promise<Client>;
  /** A request as bytes on the wire. */
  raw(body: string | Uint8Array | null, options?: RawOptions): Promise<Response>;
  /** One tools/call whose arguments are source text; the answer is read from JSON or SSE. */
  callText(era: Era, tool: string, argumentsText: string): Promise<Answered>;
  decide(
    id: string,
    decision: "submitted" | "declined",
    more?: Pick<PrepareInput, "answers" | "comment">,
  ): Promise<void>;
}

export interface BenchOptions extends Partial<
  Pick<McpEndpointOptions, "maxSessions" | "maxSessionsPerAgent" | "approvalsOf">
> {
  readonly withoutReviewer?: boolean;
}

export async function openBench({ withoutReviewer, ...over }: BenchOptions = {}): Promise<Bench> {
  const db: Database = await openDatabase({ kind: "sqlite", path: ":memory:" });
  const clock = manualClock();
  const deps = verbDeps(db, clock);
  const reports: Report[] = [];
  const { agent, token } = await addAgent(deps, "tester", { name: "deployer" });
  const anna: Session | undefined = withoutReviewer === true ? undefined : await addTestReviewer(deps, "Anna");
  const endpoint = createMcpEndpoint({
    authenticate: (given) => authenticate(deps, given),
    approvalsOf: (asking) => approvalsOf(deps, asking),
    onClosed: (listener) => deps.closings.listen(listener),
    publicUrl: deps.publicUrl,
    awaitMaxSeconds: deps.awaitMaxSeconds,
    clock,
    report: (fault) => reports.push(fault),
    ...over,
  });
  const clients: Client[] = [];
  let legacySession: Promise<string> | undefined;

  const bench: Bench = {
    endpoint,
    deps,
    clock,
    agent,
    token,
    approvals: approvalsOf(deps, agent),
    reports,
    addAgent: (name) => addAgent(deps, "tester", { name }),
    async connect(era, options = {}) {
      const client = new Client(
        { name: "test-host", version: "1.2.3" },
        {
          capabilities: options.capabilities ?? {},
          versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: MODERN } },
        },
      );
      options.before?.(client);
      const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
        fetch: (url, init) => endpoint.fetch(new Request(url, init)),
        requestInit: { headers: { authorization: `Bearer ${options.token ?? token}` } },
      });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    raw(body, options = {}) {
      const given = options.token === undefined ? token : options.token;
      const headers = {
        ...(body === null
          ? { accept: "text/event-stream" }
          : { "content-type": "application/json", accept: "application/json, text/event-stream" }),
        ...(given === null ? {} : { authorization: `Bearer ${given}` }),
        ...options.headers,
      };
      const method = options.method ?? "POST";
      return endpoint.fetch(
        new Request(MCP_URL, {
          method,
          headers,
          ...(body === null ? {} : { body: body as string }),
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        }),
      );
    },
    async callText(era, tool, argumentsText) {
      const call = `"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${argumentsText}`;
      if (era === "modern") {
        const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}}`;
        return readAnswer(
          await bench.raw(`{"jsonrpc":"2.0","id":7,${call},${meta}}}`, { headers: modernHeaders("tools/call", tool) }),
        );
      }
      legacySession ??= openSession(bench);
      return readAnswer(
        await bench.raw(`{"jsonrpc":"2.0","id":7,${call}}}`, { headers: { "mcp-session-id": await legacySession } }),
      );
    },
    async decide(id, decision, more = {}) {
      if (anna === undefined) throw new Error("nobody is enrolled");
      const viewed = await view(deps, anna.reviewer, id);
      if (viewed === undefined) throw new Error(`there is no approval ${id}`);
      const prepared = await prepare(deps, anna, {
        approvalId: id,
        decision,
        requestDigest: viewed.approval.requestDigest,
        ...more,
      });
      if (prepared.kind !== "prepared") throw new Error(prepared.kind);
      const decided = await decide(deps, anna, prepared.intentId, RIGHT, "test");
      if (decided.kind !== "decided") throw new Error(decided.kind);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await endpoint.close();
      deps.waiters[Symbol.dispose]();
      await db[Symbol.asyncDispose]();
    },
  };
  return bench;
}

export function modernHeaders(method: string, name?: string): Record<string, string> {
  return { "mcp-protocol-version": MODERN, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) };
}

export function initializeBody(capabilities: object = {}): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: LEGACY, capabilities, clientInfo: { name: "raw", version: "0" } },
  });
}

/** Opens a legacy session by hand. @returns its id. */
export async function openSession(bench: Bench, options: RawOptions & { capabilities?: object } = {}): Promise<string> {
  const response = await bench.raw(initializeBody(options.capabilities), options);
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session: ${response.status} ${await response.text()}`);
  await response.text();
  const accepted = await bench.raw('{"jsonrpc":"2.0","method":"notifications/initialized"}', {
    ...options,
    headers: { "mcp-session-id": id },
  });
  if (accepted.status !== 202) throw new Error(`not initialized: ${accepted.status}`);
  return id;
}

/** Every JSON-RPC message of a JSON or SSE response, as source text. */
export function messagesOf(body: string): string[] {
  if (!body.includes("data: ")) return [body];
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));
}

async function readAnswer(response: Response): Promise<Answered> {
  const text = messagesOf(await response.text()).at(-1) ?? "";
  const message = JSON.parse(text) as {
    result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content: { text: string }[] };
    error?: unknown;
  };
  if (message.result === undefined) throw new Error(`${response.status} ${text}`);
  return {
    isError: message.result.isError === true,
    structured: message.result.structuredContent ?? {},
    text: message.result.content[0]?.text ?? "",
  };
}

/** Calls a tool through the SDK client. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answered> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content as { type: string; text: string }[];
  return {
    isError: result.isError === true,
    structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    text: first?.text ?? "",
  };
}
