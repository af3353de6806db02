/** The endpoint as HTTP: who gets in, how much, and whose session is whose. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revokeAgent, rotateAgent } from "../../src/engine/agents.ts";
import { BUSY_MS, IDLE_MS } from "../../src/mcp/sessions.ts";
import { type Bench, callTool, initializeBody, MODERN, modernHeaders, openBench, openSession } from "./endpoint.ts";

const META = { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} };
const LIST = '{"jsonrpc":"2.0","id":5,"method":"tools/list"}';
const PING = JSON.stringify({
  jsonrpc: "2.0",
  id: 5,
  method: "tools/call",
  params: { name: "elicit_ping", arguments: {}, _meta: META },
});
const PING_HEADERS = modernHeaders("tools/call", "elicit_ping");

describe("the bearer gate", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test("no token: 401 with a bare challenge, in every method and era", async () => {
    for (const response of [
      await bench.raw(PING, { token: null, headers: PING_HEADERS }),
      await bench.raw(initializeBody(), { token: null }),
      await bench.raw(null, { token: null, method: "GET" }),
      await bench.raw(null, { token: null, method: "DELETE" }),
      await bench.raw(PING, { token: null, headers: { authorization: "Basic YTpi" } }),
    ]) {
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("an unknown, malformed, rotated or revoked token: 401 invalid_token without resource_metadata, all the same", async () => {
    const { token } = await bench.addAgent("rotated");
    await rotateAgent(bench.deps, "tester", "rotated");
    const gone = await bench.addAgent("revoked");
    await revokeAgent(bench.deps, "tester", "revoked");
    const bodies = new Set<string>();
    for (const bad of ["x", `${bench.token}x`, token, gone.token]) {
      const response = await bench.raw(PING, { token: bad, headers: PING_HEADERS });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
      expect(response.headers.get("www-authenticate")).not.toContain("resource_metadata");
      bodies.add(await response.text());
    }
    expect(bodies.size).toBe(1);
  });

  test("a token that is revoked in the middle of a session ends it at the next request", async () => {
    const { token } = await bench.addAgent("leaver");
    const session = await openSession(bench, { token });
    expect((await bench.raw(LIST, { token, headers: { "mcp-session-id": session } })).status).toBe(200);
    await revokeAgent(bench.deps, "tester", "leaver");
    expect((await bench.raw(LIST, { token, headers: { "mcp-session-id": session } })).status).toBe(401);
  });

  test("a rotated token goes on with the same session: it belongs to the agent", async () => {
    const { token } = await bench.addAgent("rotator");
    const session = await openSession(bench, { token });
    const rotated = await rotateAgent(bench.deps, "tester", "rotator");
    expect((await bench.raw(LIST, { token: rotated.token, headers: { "mcp-session-id": session } })).status).toBe(200);
  });
});

describe("bodies", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test("over 1 MiB: 413, declared or not, and nothing is parsed", async () => {
    const big = `"${"x".repeat(1024 * 1024)}"`;
    expect((await bench.raw(big)).status).toBe(413);
    expect((await bench.raw(PING, { headers: { ...PING_HEADERS, "content-length": "1048577" } })).status).toBe(413);
    expect((await bench.raw(big, { token: null })).status).toBe(401);
  });

  test("not JSON, not UTF-8, empty, or of another type: 4xx, and the server goes on", async () => {
    const hostile: [string | Uint8Array, number][] = [
      ["{", 400],
      ["", 400],
      ["nul", 400],
      [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400],
      [
        new TextEncoder().encode(
          PING.replace('"arguments":{}', '"arguments":{"message":"MARK"}').replace("MARK", "\u0000"),
        ),
        400,
      ],
      ["null", 400],
      ["7", 400],
      ["[]", 400],
      ["{}", 400],
      ['{"jsonrpc":"2.0","id":1}', 400],
      ['{"jsonrpc":"2.0","id":1,"method":7}', 400],
      ['{"jsonrpc":"2.0","id":{},"method":"tools/call"}', 400],
      [`${"[".repeat(300_000)}${"]".repeat(300_000)}`, 400],
      [`{"a":`.repeat(100_000), 400],
    ];
    for (const [body, status] of hostile)
      expect((await bench.raw(body)).status, String(body).slice(0, 60)).toBe(status);
    expect((await bench.raw(PING, { headers: { ...PING_HEADERS, "content-type": "text/plain" } })).status).toBe(415);
    expect((await bench.raw(PING, { headers: PING_HEADERS })).status).toBe(200);
    expect(bench.reports).toEqual([]);
  });

  test("a byte that is not UTF-8 refuses the call; it is not replaced by another character", async () => {
    const withByte = (byte: number) =>
      Uint8Array.from(Buffer.from(PING.replace('"arguments":{}', '"arguments":{"message":"?"}'), "latin1"), (each) =>
        each === 0x3f ? byte : each,
      );
    expect((await bench.raw(withByte(0xff), { headers: PING_HEADERS })).status).toBe(400);
    const fine = await bench.raw(withByte(0x41), { headers: PING_HEADERS });
    expect(await fine.json()).toMatchObject({ result: { structuredContent: { message: "pong: A" } } });
  });

  test("a modern call whose headers name something else is refused, and nothing is done", async () => {
    const ask = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "elicit_approval", arguments: { message: "m", context: 1 }, _meta: META },
    });
    for (const headers of [
      modernHeaders("tools/call", "elicit_ping"),
      modernHeaders("tools/list"),
      { ...modernHeaders("tools/call", "elicit_approval"), "mcp-protocol-version": "2025-11-25" },
      {},
    ]) {
      const response = await bench.raw(ask, { headers });
      expect(response.status, JSON.stringify(headers)).toBe(400);
    }
    expect((await bench.approvals.list({})).items).toEqual([]);
  });

  test("a modern call with bad parameters is a protocol error, not a crash", async () => {
    for (const params of [{ _meta: META }, { name: 7, _meta: META }, { name: "elicit_ping" }, "x"]) {
      const response = await bench.raw(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), {
        headers: PING_HEADERS,
      });
      expect(response.status, JSON.stringify(params)).toBeLessThan(500);
      expect(await response.json(), JSON.stringify(params)).toMatchObject({
        error: { code: params === "x" ? -32600 : -32602 },
      });
    }
  });
});

describe("sessions of older clients", () => {
  test("[BR 47] [BR 48] an unknown session is 404, the HTTP status itself, in every method", async () => {
    await using bench = await openBench();
    for (const response of [
      await bench.raw(LIST, { headers: { "mcp-session-id": "bogus" } }),
      await bench.raw(null, { method: "GET", headers: { "mcp-session-id": "bogus" } }),
      await bench.raw(null, { method: "DELETE", headers: { "mcp-session-id": "bogus" } }),
    ]) {
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toContain("application/json");
    }
    expect((await bench.raw(PING, { headers: { ...PING_HEADERS, "mcp-session-id": "bogus" } })).status).toBe(200);
  });

  test("after a 404 initialize opens a new session, also when the old session's header still rides along", async () => {
    await using bench = await openBench();
    const response = await bench.raw(initializeBody(), { headers: { "mcp-session-id": "bogus" } });
    const fresh = response.headers.get("mcp-session-id");
    expect([response.status, fresh]).toEqual([200, expect.not.stringMatching("bogus")]);
    expect((await bench.raw(LIST, { headers: { "mcp-session-id": fresh ?? "" } })).status).toBe(200);
  });

  test("another agent's session is 404, word for word as an unknown one, and goes on unharmed", async () => {
    await using bench = await openBench();
    const session = await openSession(bench);
    const { token } = await bench.addAgent("thief");
    for (const method of ["POST", "GET", "DELETE"]) {
      const ask = (id: string) =>
        bench.raw(method === "POST" ? LIST : null, { token, method, headers: { "mcp-session-id": id } });
      const [foreign, unknown] = [await ask(session), await ask("bogus")];
      expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
    }
    expect((await bench.raw(LIST, { headers: { "mcp-session-id": session } })).status).toBe(200);
  });

  test("without a session: POST 400, GET and DELETE 405", async () => {
    await using bench = await openBench();
    expect((await bench.raw(LIST)).status).toBe(400);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await bench.raw(null, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("DELETE ends a session; the next request is 404", async () => {
    await using bench = await openBench();
    const headers = { "mcp-session-id": await openSession(bench) };
    expect((await bench.raw(null, { method: "DELETE", headers })).status).toBe(200);
    expect((await bench.raw(LIST, { headers })).status).toBe(404);
  });

  test("an idle session ends; one in use does not", async () => {
    await using bench = await openBench();
    const idle = await openSession(bench);
    const used = await openSession(bench);
    const list = (id: string) => bench.raw(LIST, { headers: { "mcp-session-id": id } });
    await bench.clock.advance(IDLE_MS / 2);
    expect((await list(used)).status).toBe(200);
    await bench.clock.advance(IDLE_MS / 2);
    expect((await list(idle)).status).toBe(404);
    expect((await list(used)).status).toBe(200);
  });

  test("an agent's sessions are counted: the longest unused gives way, one in use never", async () => {
    await using bench = await openBench({ maxSessionsPerAgent: 2 });
    const other = await bench.addAgent("other");
    const theirs = await openSession(bench, { token: other.token });
    const first = await openSession(bench);
    await openSession(bench);
    const refused = await bench.raw(initializeBody());
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    await bench.clock.advance(BUSY_MS);
    const third = await openSession(bench);
    const status = async (id: string, token?: string) =>
      (await bench.raw(LIST, { ...(token === undefined ? {} : { token }), headers: { "mcp-session-id": id } })).status;
    expect([await status(first), await status(third), await status(theirs, other.token)]).toEqual([404, 200, 200]);
  });

  test("many sessions opened at once do not pass the limit together", async () => {
    await using bench = await openBench({ maxSessionsPerAgent: 3 });
    const opened = await Promise.all(Array.from({ length: 10 }, () => bench.raw(initializeBody())));
    expect(opened.map((response) => response.status).sort()).toEqual([
      200,
      200,
      200,
      ...Array.from({ length: 7 }, () => 429),
    ]);
  });

  test("all sessions are counted: a new agent gets the place of the longest unused", async () => {
    await using bench = await openBench({ maxSessions: 2 });
    const first = await openSession(bench);
    await openSession(bench);
    const other = await bench.addAgent("other");
    expect((await bench.raw(initializeBody(), { token: other.token })).status).toBe(429);
    await bench.clock.advance(BUSY_MS);
    await openSession(bench, { token: other.token });
    expect((await bench.raw(LIST, { headers: { "mcp-session-id": first } })).status).toBe(404);
  });

  test("an initialize that fails leaves no session behind", async () => {
    await using bench = await openBench({ maxSessionsPerAgent: 1 });
    for (let n = 0; n < 5; n += 1)
      expect((await bench.raw(initializeBody(), { headers: { accept: "text/plain" } })).status).toBe(406);
    await openSession(bench);
  });
});

describe("faults of our own", () => {
  test("are told as internal with an id, and reported once with their cause", async () => {
    const broken = new Error("disk on fire");
    await using bench = await openBench({
      approvalsOf: () => {
        const fail = () => Promise.reject(broken);
        return { request: fail, status: fail, wait: fail, result: fail, cancel: fail, list: fail };
      },
    });
    for (const era of ["modern", "legacy"] as const) {
      const answer = await callTool(await bench.connect(era), "elicit_status", { elicitationId: "x" });
      const { id, where, error } = bench.reports.pop() ?? {};
      expect(answer).toMatchObject({
        isError: true,
        structured: { error: { code: "internal", message: expect.stringContaining(id ?? "?") } },
      });
      expect(answer.text).not.toContain("fire");
      expect([where, error, bench.reports.length]).toEqual(["elicit_status", broken, 0]);
    }
  });

  test("after close every request is 503", async () => {
    const bench = await openBench();
    const headers = { "mcp-session-id": await openSession(bench) };
    await bench[Symbol.asyncDispose]();
    expect((await bench.raw(PING, { headers: PING_HEADERS })).status).toBe(503);
    expect((await bench.raw(LIST, { headers })).status).toBe(503);
  });
});
