/** Waiting over the wire: no decision is missed, the client hears that the call is alive, and a lost client frees its place. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { settle } from "../support/clock.ts";
import { type Bench, callTool, ERAS, messagesOf, modernHeaders, MODERN, openBench, openSession } from "./endpoint.ts";

/** Lets the event loop run until `done`; fails instead of hanging. */
async function until(done: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 400; turn += 1) {
    if (done()) return;
    await settle();
  }
  throw new Error(`never happened: ${what}`);
}

describe.each(ERAS)("elicit_await in the %s era", (era) => {
  let bench: Bench;
  let client: Client;
  let id: string;
  beforeEach(async () => {
    bench = await openBench();
    client = await bench.connect(era);
    id = (await callTool(client, "elicit_approval", { message: "Wait", context: 1, expiresInSeconds: 100 })).structured[
      "elicitationId"
    ] as string;
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const waiting = () => until(() => bench.deps.waiters.size === 1, "a waiter");

  test("a decision before the wait is returned at once", async () => {
    await bench.decide(id, "submitted");
    expect((await callTool(client, "elicit_await", { elicitationId: id })).structured).toEqual({
      elicitationId: id,
      status: "submitted",
      decision: "submitted",
      waitedSeconds: 0,
    });
  });

  test("a decision during the wait ends it", async () => {
    const call = callTool(client, "elicit_await", { elicitationId: id });
    await waiting();
    await bench.clock.advance(3_000);
    await bench.decide(id, "declined");
    expect((await call).structured).toEqual({
      elicitationId: id,
      status: "declined",
      decision: "declined",
      waitedSeconds: 3,
    });
    expect(bench.deps.waiters.size).toBe(0);
  });

  test("a cancel ends the wait", async () => {
    const call = callTool(client, "elicit_await", { elicitationId: id });
    await waiting();
    await callTool(client, "elicit_cancel", { elicitationId: id });
    expect((await call).structured).toMatchObject({ status: "canceled" });
  });

  test("the expiry ends the wait, and is no decision", async () => {
    await bench.clock.advance(90_000);
    const call = callTool(client, "elicit_await", { elicitationId: id });
    await waiting();
    await bench.clock.advance(10_000);
    const ended = (await call).structured;
    expect(ended).toMatchObject({ status: "expired", waitedSeconds: 10 });
    expect(ended["decision"]).toBeUndefined();
  });

  test.each([
    [undefined, 45],
    [500, 55],
    [2.9, 2],
    [0, 0],
    [-3, 0],
  ])(
    "[BR 27] waitSeconds %s: after %s seconds it is a normal pending answer that says to call again",
    async (waitSeconds, seconds) => {
      const { timers } = bench.clock;
      const call = callTool(client, "elicit_await", {
        elicitationId: id,
        ...(waitSeconds === undefined ? {} : { waitSeconds }),
      });
      if (seconds > 0) await waiting();
      await bench.clock.advance(seconds * 1_000);
      const answer = await call;
      expect(answer).toMatchObject({
        isError: false,
        structured: { status: "pending", waitedSeconds: seconds, next: expect.stringMatching(/not a refusal.*again/) },
      });
      expect(answer.text).toContain("elicit_await again");
      await until(() => bench.deps.waiters.size === 0, "no waiter left");
      expect(bench.clock.timers).toBe(timers);
    },
  );

  test("a string in place of waitSeconds is refused", async () => {
    expect(await callTool(client, "elicit_await", { elicitationId: id, waitSeconds: "10" })).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path: "/waitSeconds" } },
    });
  });

  test("progress comes at once and every ten seconds to a client that asked, growing", async () => {
    const progress: { progress: number; message?: string | undefined }[] = [];
    const call = client.callTool(
      { name: "elicit_await", arguments: { elicitationId: id } },
      { onprogress: (each) => progress.push(each) },
    );
    await waiting();
    await until(() => progress.length === 1, "progress at once");
    await bench.clock.advance(30_000);
    await until(() => progress.length === 4, "three more");
    await bench.decide(id, "submitted");
    await call;
    expect(progress.map((each) => each.progress)).toEqual([0, 10, 20, 30]);
    expect(progress.at(-1)?.message).toContain("30 s");
    const timers = bench.clock.timers;
    await bench.clock.advance(20_000);
    expect(progress).toHaveLength(4);
    expect(bench.clock.timers).toBeLessThanOrEqual(timers);
  });

  test("a client that goes away frees its place, and the approval stays as it was", async () => {
    const leave = new AbortController();
    const call = client.callTool({ name: "elicit_await", arguments: { elicitationId: id } }, { signal: leave.signal });
    await waiting();
    leave.abort();
    await expect(call).rejects.toThrow();
    await until(() => bench.deps.waiters.size === 0, "the waiter gone");
    expect(await bench.approvals.status(id)).toMatchObject({ status: "pending" });
    await bench.decide(id, "submitted");
    expect((await callTool(client, "elicit_await", { elicitationId: id })).structured).toMatchObject({
      status: "submitted",
    });
    expect(bench.reports).toEqual([]);
  });

  test("a connection that breaks frees its place as well", async () => {
    const broken = new AbortController();
    const params =
      era === "modern"
        ? `,"_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}}`
        : "";
    const headers =
      era === "modern" ? modernHeaders("tools/call", "elicit_await") : { "mcp-session-id": await openSession(bench) };
    const response = await bench.raw(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"elicit_await","arguments":{"elicitationId":"${id}"}${params}}}`,
      { headers, signal: broken.signal },
    );
    await waiting();
    broken.abort();
    await response.body?.cancel().catch(() => undefined);
    await until(() => bench.deps.waiters.size === 0, "the waiter gone");
    expect(bench.reports).toEqual([]);
  });

  test("closing the endpoint ends the calls that wait", async () => {
    const call = callTool(client, "elicit_await", { elicitationId: id }).catch((error: unknown) => error);
    await waiting();
    await bench.endpoint.close();
    await until(() => bench.deps.waiters.size === 0, "the waiter gone");
    await client.close();
    expect(await call).toBeInstanceOf(Error);
  });
});

describe("the stream of a wait", () => {
  afterEach(() => vi.useRealTimers());

  test.each(ERAS)("opens at once, and is kept alive every ten seconds without a progress token (%s)", async (era) => {
    // The SDK keeps streams alive by setInterval; everything else runs on the bench's clock.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using bench = await openBench();
    const { id } = await bench.approvals.request({ message: "Wait", context: "1" });
    const params =
      era === "modern"
        ? `,"_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}}`
        : "";
    const headers =
      era === "modern" ? modernHeaders("tools/call", "elicit_await") : { "mcp-session-id": await openSession(bench) };
    const response = await bench.raw(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"elicit_await","arguments":{"elicitationId":"${id}"}${params}}}`,
      { headers },
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    await until(() => bench.deps.waiters.size === 1, "a waiter");
    vi.advanceTimersByTime(30_000);
    await bench.decide(id, "submitted");
    const body = await response.text();
    expect(body.match(/^: *keepalive$/gm)).toHaveLength(3);
    expect(JSON.parse(messagesOf(body).at(-1) ?? "")).toMatchObject({
      id: 3,
      result: { structuredContent: { status: "submitted" } },
    });
  });

  test("other modern calls are answered as plain JSON", async () => {
    await using bench = await openBench();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "elicit_ping",
        arguments: {},
        _meta: { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} },
      },
    });
    expect(
      (await bench.raw(body, { headers: modernHeaders("tools/call", "elicit_ping") })).headers.get("content-type"),
    ).toContain("application/json");
  });
});
