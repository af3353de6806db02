/** The payload over the real wire: what is approved is what was sent, or it is refused with a pointer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadApproval } from "../../src/store/approvals.ts";
import { type Bench, ERAS, messagesOf, modernHeaders, MODERN, openBench, openSession } from "./endpoint.ts";

/** As JavaScript prints it again: -0 becomes 0, which is the same number in JSON. */
function reprinted(context: string): unknown {
  return JSON.parse(JSON.stringify(JSON.parse(context)));
}

describe.each(ERAS)("in the %s era", (era) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const ask = (context: string, more = "") =>
    bench.callText(era, "elicit_approval", `{"message":"Payload"${more},"context":${context}}`);

  async function handedBack(context: string): Promise<{ structured: unknown; source: string }> {
    const asked = await ask(context);
    expect(asked.isError, asked.text).toBe(false);
    const id = asked.structured["elicitationId"] as string;
    await bench.decide(id, "submitted");
    const fetched = await bench.callText(era, "elicit_result", JSON.stringify({ elicitationId: id }));
    const source = fetched.text.slice(
      fetched.text.indexOf('"context":') + '"context":'.length,
      fetched.text.lastIndexOf(',"formSubmission":'),
    );
    return { structured: fetched.structured["context"], source };
  }

  test.each(['"hello"', "null", "0", "false", "[]", '""', "{}", "true", "-0"])(
    "[BR 121] the payload %s is one, and comes back unchanged",
    async (context) => {
      const back = await handedBack(context);
      expect(back.source).toBe(context);
      expect(back.structured).toEqual(reprinted(context));
    },
  );

  test("[BR 121] a missing payload is not null: without a form it is refused", async () => {
    expect(await bench.callText(era, "elicit_approval", '{"message":"Nothing"}')).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request" } },
    });
  });

  test("[BR 104] numbers, order, spacing and escapes come back byte for byte in the text part", async () => {
    for (const context of [
      '{"b":0.10,"a":1.0,"10":1e2,"2":-0}',
      '{ "z" : [ 19.99 ,\t0.1 ] }',
      '{"text":"\\u00e9\\u0000\\/ \\ud83d\\ude00"}',
      '[[[["deep"]]]]',
    ]) {
      const back = await handedBack(context);
      expect(back.source).toBe(context);
      expect(back.structured).toEqual(reprinted(context));
    }
  });

  test.each([
    ["9007199254740993", "/context"],
    ['{"id":2512292042121000001,"x":1,"y":0.10}', "/context/id"],
    ['{"x":[1,1e400]}', "/context/x/1"],
    ['{"a/b":{"~":0.1000000000000000055511151231257827}}', "/context/a~1b/~0"],
  ])("[BR 104] a number that would be rounded is refused with its pointer: %s", async (context, path) => {
    const refused = await ask(context);
    expect(refused).toMatchObject({
      isError: true,
      structured: { error: { code: "unsafe_number", path, message: expect.stringContaining("string") } },
    });
  });

  test.each([
    ['{"amount":1,"amount":1000}', "/context/amount"],
    ['{"a":{"b":1,"\\u0062":2}}', "/context/a/b"],
    ['{"__proto__":{"approved":true}}', "/context/__proto__"],
    ['{"a":[{"\\u005f_proto__":1}]}', "/context/a/0/__proto__"],
  ])("a duplicate or forbidden key is refused with its pointer: %s", async (context, path) => {
    expect(await ask(context)).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path } },
    });
  });

  test.each([['"\\ud800"'], ['{"\\udc00":1}']])(
    "[BR 119] a lone surrogate is refused when the approval is created: %s",
    async (context) => {
      expect(await ask(context)).toMatchObject({
        isError: true,
        structured: { error: { code: "invalid_request", path: expect.stringMatching(/^\/context/) } },
      });
    },
  );

  test("[BR 120] the escaped text backslash-u0000 and a real NUL are kept apart", async () => {
    const back = await handedBack('{"nul":"\\u0000","text":"\\\\u0000"}');
    expect(back.structured).toEqual({ nul: "\0", text: "\\u0000" });
  });

  test("a twin argument is refused, whichever the parser would have kept", async () => {
    expect(await ask("1", ',"context":2')).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path: "/context" } },
    });
    expect(await ask("1", ',"message":"Other"')).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path: "/message" } },
    });
  });

  test("faults in other arguments carry their own pointer", async () => {
    expect(await ask("1", ',"expiresInSeconds":1e400')).toMatchObject({
      isError: true,
      structured: { error: { code: "unsafe_number", path: "/expiresInSeconds" } },
    });
    expect(
      await ask("1", ',"requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"number"}}}'),
    ).toMatchObject({
      structured: { error: { code: "invalid_request", path: "/requestedSchema/properties/a" } },
    });
  });

  test("a payload as deep or as large as allowed passes, one step more is too_large", async () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect((await handedBack(nested(32))).source).toBe(nested(32));
    for (const depth of [33, 98, 150_000])
      expect(await ask(nested(depth)), `depth ${depth}`).toMatchObject({
        isError: true,
        structured: { error: { code: "too_large" } },
      });
    expect((await ask(`"${"x".repeat(262_142)}"`)).isError).toBe(false);
    expect(await ask(`"${"x".repeat(262_143)}"`)).toMatchObject({
      isError: true,
      structured: { error: { code: "too_large", path: "/context" } },
    });
  });

  test("arguments that are not an object are refused in our words", async () => {
    for (const args of ["[]", '"x"', "7", "true"])
      expect(await bench.callText(era, "elicit_ping", args), args).toMatchObject({
        isError: true,
        structured: { error: { code: "invalid_request", path: "" } },
      });
    expect((await bench.callText(era, "elicit_ping", "null")).structured).toEqual({ message: "pong" });
  });

  test("nothing of this was a fault of ours", () => expect(bench.reports).toEqual([]));
});

describe("the envelope", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const META = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}}`;
  const APPROVAL = `"name":"elicit_approval","arguments":{"message":"m","context":1}`;
  const headers = modernHeaders("tools/call", "elicit_approval");

  test.each([
    [
      "two params",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${APPROVAL},${META}},"params":{${APPROVAL},${META}}}`,
    ],
    [
      "two arguments",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${APPROVAL},"arguments":{"message":"m","context":2},${META}}}`,
    ],
    [
      "two arguments, one escaped",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${APPROVAL},"\\u0061rguments":{"message":"m","context":2},${META}}}`,
    ],
    ["two names", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"elicit_ping",${APPROVAL},${META}}}`],
    ["__proto__", `{"jsonrpc":"2.0","id":1,"__proto__":{},"method":"tools/call","params":{${APPROVAL},${META}}}`],
    [
      "an id that would be rounded",
      `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{${APPROVAL},${META}}}`,
    ],
  ])("%s: the whole message is refused and nothing is stored", async (_what, body) => {
    const response = await bench.raw(body, { headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32600 } });
    expect((await bench.approvals.list({})).items).toEqual([]);
  });

  test("a batch of an older client takes each call's own source, by its id", async () => {
    const session = await openSession(bench);
    const call = (id: string, context: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"elicit_approval","arguments":{"context":${context},"message":"in a batch"}}}`;
    const response = await bench.raw(
      `[ ${call('"a"', "1.50")} ,${call("2", '{"n":1,"n":2}')}, ${call("3", '{ "k": 0.10 }')}]`,
      { headers: { "mcp-session-id": session } },
    );
    expect(response.status).toBe(200);
    const byId = new Map(
      messagesOf(await response.text())
        .map((text) => JSON.parse(text))
        .map((message) => [message.id, message.result]),
    );
    expect(byId.get(2)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "invalid_request", path: "/context/n" } },
    });
    for (const [id, source] of [
      ["a", "1.50"],
      [3, '{ "k": 0.10 }'],
    ] as const) {
      const stored = byId.get(id).structuredContent.elicitationId as string;
      expect((await loadApproval(bench.deps.db, bench.deps.workspace, stored))?.contextText).toBe(source);
    }
  });

  test("a batch with two equal ids, or too many messages, is refused whole", async () => {
    const headersOf = { "mcp-session-id": await openSession(bench) };
    const before = (await bench.approvals.list({})).items.length;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${APPROVAL}}}`;
    expect((await bench.raw(`[${call},${call}]`, { headers: headersOf })).status).toBe(400);
    expect(
      (
        await bench.raw(
          `[${Array.from({ length: 33 }, (_, n) => `{"jsonrpc":"2.0","id":${n},"method":"ping"}`).join()}]`,
          { headers: headersOf },
        )
      ).status,
    ).toBe(400);
    expect((await bench.approvals.list({})).items).toHaveLength(before);
  });
});
