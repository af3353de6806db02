/**
 * What everything is compared with: the MCP SDK as its documentation shows it, with as many tools as Countersign has,
 * their output schemas and a bearer gate. Its tools do nothing. Schemas are made once, as the SDK advises.
 */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createMcpHonoApp } from "@modelcontextprotocol/hono";
import {
  createMcpHandler,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const STATUS = z.enum(["pending", "submitted", "declined", "canceled", "expired", "consumed"]);
const DECISION = z.enum(["submitted", "declined"]).optional();
const ID = z.object({ elicitationId: z.string().describe("The elicitationId that elicit_approval returned.") });
const EXPIRES_AT = "2026-11-30T13:00:00.000Z";
const URL_OUT = "http://localhost:4747/review?elicitationId=0";

const asked = {
  elicitationId: "0",
  status: "pending",
  reviewUrl: URL_OUT,
  expiresAt: EXPIRES_AT,
  elicitationDelivered: false,
} as const;
const about = (name: string): string =>
  `${name} answers at once and does nothing. It stands here with a description as long as those that a model needs to tell one tool from another.`;

const APPROVAL_IN = z.object({
  message: z.string().max(4_000).describe("What the person is asked."),
  context: z.unknown().optional(),
  requestedSchema: z.record(z.string(), z.unknown()).optional(),
  labels: z.object({ submit: z.string().optional(), decline: z.string().optional() }).optional(),
  expiresInSeconds: z.number().optional(),
  idempotencyKey: z.string().max(200).optional(),
});
const APPROVAL_OUT = z.object({
  elicitationId: z.string(),
  status: STATUS,
  reviewUrl: z.string(),
  expiresAt: z.string(),
  elicitationDelivered: z.boolean(),
});
const STATUS_OUT = z.object({
  elicitationId: z.string(),
  status: STATUS,
  decision: DECISION,
  expiresAt: z.string(),
  decidedAt: z.string().optional(),
});
const AWAIT_IN = ID.extend({ waitSeconds: z.number().optional() });
const AWAIT_OUT = z.object({
  elicitationId: z.string(),
  status: STATUS,
  decision: DECISION,
  waitedSeconds: z.number(),
});
const RESULT_IN = ID.extend({ claimKey: z.string().max(200).optional() });
const RESULT_OUT = z.object({
  elicitationId: z.string(),
  status: STATUS,
  decision: DECISION,
  context: z.unknown(),
  formSubmission: z.unknown(),
  decidedAt: z.string().optional(),
});
const CANCEL_IN = ID.extend({ reason: z.string().max(500).optional() });
const CANCEL_OUT = z.object({ elicitationId: z.string(), status: STATUS });
const LIST_IN = z.object({ status: STATUS.optional(), limit: z.number().optional(), cursor: z.string().optional() });
const LIST_OUT = z.object({ elicitations: z.array(STATUS_OUT), nextCursor: z.string().optional() });
const PING_IN = z.object({ message: z.string().optional() });
const PING_OUT = z.object({ message: z.string() });

function answer<T extends Record<string, unknown>>(
  fields: T,
): { content: { type: "text"; text: string }[]; structuredContent: T } {
  return { content: [{ type: "text", text: JSON.stringify(fields) }], structuredContent: fields };
}

function buildServer(): McpServer {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool(
    "elicit_approval",
    { title: "Ask", description: about("Ask"), inputSchema: APPROVAL_IN, outputSchema: APPROVAL_OUT },
    async () => answer(asked),
  );
  server.registerTool(
    "elicit_status",
    { title: "Status", description: about("Status"), inputSchema: ID, outputSchema: STATUS_OUT },
    async ({ elicitationId }) => answer({ elicitationId, status: "pending" as const, expiresAt: EXPIRES_AT }),
  );
  server.registerTool(
    "elicit_await",
    { title: "Await", description: about("Await"), inputSchema: AWAIT_IN, outputSchema: AWAIT_OUT },
    async ({ elicitationId }) => answer({ elicitationId, status: "pending" as const, waitedSeconds: 0 }),
  );
  server.registerTool(
    "elicit_result",
    { title: "Result", description: about("Result"), inputSchema: RESULT_IN, outputSchema: RESULT_OUT },
    async ({ elicitationId }) =>
      answer({ elicitationId, status: "consumed" as const, context: null, formSubmission: null }),
  );
  server.registerTool(
    "elicit_cancel",
    { title: "Cancel", description: about("Cancel"), inputSchema: CANCEL_IN, outputSchema: CANCEL_OUT },
    async ({ elicitationId }) => answer({ elicitationId, status: "canceled" as const }),
  );
  server.registerTool(
    "elicit_list",
    { title: "List", description: about("List"), inputSchema: LIST_IN, outputSchema: LIST_OUT },
    async () => answer({ elicitations: [] }),
  );
  server.registerTool(
    "elicit_ping",
    { title: "Ping", description: about("Ping"), inputSchema: PING_IN, outputSchema: PING_OUT },
    async () => answer({ message: "pong" }),
  );
  return server;
}

const token = randomBytes(32).toString("base64url");
const tokens = new Map([
  [token, { token, clientId: "bench", scopes: ["mcp"], expiresAt: Math.floor(Date.now() / 1_000) + 86_400 }],
]);
const gate = requireBearerAuth({
  verifier: {
    async verifyAccessToken(given) {
      const found = tokens.get(given);
      if (found === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "unknown");
      return found;
    },
  },
  requiredScopes: ["mcp"],
});
const handler = createMcpHandler(buildServer);
const app = createMcpHonoApp();
app.all("/mcp", async (c) => {
  const authInfo = await gate(c.req.raw);
  return authInfo instanceof Response
    ? authInfo
    : handler.fetch(c.req.raw, { authInfo, parsedBody: c.get("parsedBody" as never) });
});

const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }: AddressInfo) => {
  process.stdout.write(`${JSON.stringify({ event: "ready", port })}\n`);
  process.send?.({ ready: { mcp: `http://127.0.0.1:${port}/mcp`, token } });
});

process.on("message", ({ id }: { id: number }) => process.send?.({ id, answer: process.cpuUsage() }));
process.on("SIGTERM", () => {
  server.close();
  process.exit(0);
});
