/** URL-mode elicitation: a courtesy to hosts of older revisions, never a decision and never waited for. */
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { settle } from "../support/clock.ts";
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { MAX_OFFERS, newPushes } from "../../src/mcp/pushes.ts";
import { type Bench, callTool, type Era, messagesOf, openBench, openSession } from "./endpoint.ts";

const ASK = { message: "Deploy to production", context: { target: "prod" } };

interface Pushed {
  mode?: string;
  message: string;
  url?: string;
  elicitationId?: string;
}

async function connectHost(
  bench: Bench,
  era: Era,
  capabilities: NonNullable<ClientOptions["capabilities"]>,
  answer: () => Promise<{ action: "accept" | "decline" | "cancel" }>,
) {
  const pushed: Pushed[] = [];
  const completed: string[] = [];
  const client = await bench.connect(era, {
    capabilities,
    before(host) {
      if (capabilities.elicitation === undefined) return;
      host.setRequestHandler("elicitation/create", (request) => {
        pushed.push(request.params as Pushed);
        return answer();
      });
      host.setNotificationHandler("notifications/elicitation/complete", (note) => {
        completed.push(note.params.elicitationId);
      });
    },
  });
  return { client, pushed, completed };
}

describe("on a legacy connection whose host declares elicitation.url", () => {
  test("the host is handed our reviewUrl in mode url, and the answer does not wait for the person", async () => {
    await using bench = await openBench();
    const never = new Promise<{ action: "accept" }>(() => undefined);
    const { client, pushed } = await connectHost(bench, "legacy", { elicitation: { url: {} } }, () => never);
    const asked = await callTool(client, "elicit_approval", ASK);
    expect(asked.structured).toMatchObject({ status: "pending", elicitationDelivered: true });
    expect(pushed).toEqual([
      expect.objectContaining({
        mode: "url",
        message: ASK.message,
        url: asked.structured["reviewUrl"],
        elicitationId: asked.structured["elicitationId"],
      }),
    ]);
  });

  test.each(["accept", "decline", "cancel"] as const)("the host's %s is no decision", async (action) => {
    await using bench = await openBench();
    const { client, pushed } = await connectHost(bench, "legacy", { elicitation: { url: {}, form: {} } }, () =>
      Promise.resolve({ action }),
    );
    const id = (await callTool(client, "elicit_approval", ASK)).structured["elicitationId"];
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect(pushed).toHaveLength(1);
    expect((await callTool(client, "elicit_status", { elicitationId: id })).structured).toEqual({
      elicitationId: id,
      status: "pending",
      expiresAt: expect.any(String),
    });
    await bench.decide(id as string, "submitted");
    expect((await callTool(client, "elicit_result", { elicitationId: id })).structured).toMatchObject({
      decision: "submitted",
    });
    expect(bench.reports).toEqual([]);
  });

  test("when the approval is decided the host is told that the elicitation is complete, once", async () => {
    await using bench = await openBench();
    const { client, completed } = await connectHost(bench, "legacy", { elicitation: { url: {} } }, () =>
      Promise.resolve({ action: "accept" }),
    );
    const id = (await callTool(client, "elicit_approval", ASK)).structured["elicitationId"] as string;
    await bench.decide(id, "submitted");
    bench.deps.closings.tell(id);
    for (let turn = 0; turn < 50; turn += 1) await settle();
    expect(completed).toEqual([id]);
  });

  test("the offer rides on the call's own stream, before the answer", async () => {
    await using bench = await openBench();
    const headers = { "mcp-session-id": await openSession(bench, { capabilities: { elicitation: { url: {} } } }) };
    const response = await bench.raw(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 9,
        method: "tools/call",
        params: { name: "elicit_approval", arguments: ASK },
      }),
      { headers },
    );
    const messages = messagesOf(await response.text()).map(
      (text) => JSON.parse(text) as { method?: string; id: number },
    );
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(["elicitation/create", 9]);
  });

  test("to a stream that nobody reads any more nothing was delivered, and the approval is stored all the same", async () => {
    await using bench = await openBench();
    const headers = { "mcp-session-id": await openSession(bench, { capabilities: { elicitation: { url: {} } } }) };
    const gone = new AbortController();
    const answering = bench.raw(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 9,
        method: "tools/call",
        params: { name: "elicit_approval", arguments: { ...ASK, idempotencyKey: "gone" } },
      }),
      { headers, signal: gone.signal },
    );
    gone.abort();
    // In process the body can still be read, which shows what would have been claimed.
    const messages = messagesOf(await (await answering).text()).map(
      (text) => JSON.parse(text) as { method?: string; result?: unknown },
    );
    expect(messages).toEqual([
      expect.objectContaining({
        result: expect.objectContaining({
          structuredContent: expect.objectContaining({ elicitationDelivered: false }),
        }),
      }),
    ]);
    const [stored] = (await bench.approvals.list({ idempotencyKey: "gone" })).items;
    expect(stored?.status).toBe("pending");
    expect(bench.reports).toEqual([]);
  });

  test("offers that nobody answers are bounded; more approvals are stored without an offer", async () => {
    await using bench = await openBench();
    const headers = { "mcp-session-id": await openSession(bench, { capabilities: { elicitation: { url: {} } } }) };
    const delivered: unknown[] = [];
    for (let n = 0; n <= MAX_OFFERS; n += 1) {
      const response = await bench.raw(
        JSON.stringify({
          jsonrpc: "2.0",
          id: n,
          method: "tools/call",
          params: { name: "elicit_approval", arguments: ASK },
        }),
        { headers },
      );
      const answer = JSON.parse(messagesOf(await response.text()).at(-1) ?? "") as {
        result: { structuredContent: Record<string, unknown> };
      };
      delivered.push(answer.result.structuredContent["elicitationDelivered"]);
    }
    expect(delivered).toEqual([...Array.from({ length: MAX_OFFERS }, () => true), false]);
  });
});

test.each([
  ["a legacy host without elicitation", "legacy", {}],
  ["a legacy host with bare elicitation: form only", "legacy", { elicitation: {} }],
  ["a legacy host with form only", "legacy", { elicitation: { form: {} } }],
  ["a modern host, whatever it declares", "modern", { elicitation: { form: {}, url: {} } }],
] as const)("%s is handed nothing, and elicitationDelivered is false", async (_who, era, capabilities) => {
  await using bench = await openBench();
  const { client, pushed } = await connectHost(bench, era, capabilities, () => Promise.resolve({ action: "accept" }));
  const asked = await callTool(client, "elicit_approval", ASK);
  expect(asked.structured).toMatchObject({
    status: "pending",
    elicitationDelivered: false,
    reviewUrl: expect.stringContaining("/review?elicitationId="),
  });
  for (let turn = 0; turn < 10; turn += 1) await settle();
  expect(pushed).toEqual([]);
});

test("an offer counts as delivered only if it was written and the stream is still open afterwards", async () => {
  const offer = { elicitationId: "e", message: "Deploy", url: "http://localhost:4747/review?elicitationId=e" };
  const contextThat = (elicitInput: () => Promise<unknown>) =>
    ({ mcpReq: { id: 1, elicitInput } }) as unknown as ServerContext;
  const deliver = (elicitInput: () => Promise<unknown>, open: boolean[]) =>
    newPushes({} as McpServer).offer(contextThat(elicitInput), offer, () => open.shift() ?? false);
  const unanswered = () => new Promise(() => undefined);
  expect(await deliver(unanswered, [true, true])).toBe(true);
  expect(await deliver(unanswered, [true, false])).toBe(false);
  expect(await deliver(unanswered, [false])).toBe(false);
  expect(await deliver(() => Promise.reject(new Error("the write failed")), [true, true])).toBe(false);
});
