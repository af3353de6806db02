/** The check of the source text, alone: on any JSON it agrees with the parser, or refuses. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_BATCH, readMessage } from "../../src/mcp/source.ts";
import { watchBody } from "../../src/mcp/watch.ts";

const call = (args: string, id = "1") =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"elicit_approval","arguments":${args}}}`;

describe("reading a message", () => {
  test("the context's text is cut out of any message as it stands", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
        fc.boolean(),
        (context, others, spaced) => {
          const text = JSON.stringify(context, null, spaced ? 2 : 0);
          const rest = Object.entries(others)
            .filter(([name]) => name !== "context" && name !== "__proto__")
            .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
          const read = readMessage(call(`{${[...rest, `"context":${text}`].join(spaced ? " , " : ",")}}`));
          if (read.kind !== "message") throw new Error(read.message);
          const source = read.sources.get(1);
          if (source?.fault === undefined) expect(source?.contextText).toBe(text);
          else expect(source.fault.path).toMatch(/^\//);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("it never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => void readMessage(text)),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => void readMessage(call(text))),
      { numRuns: 500 },
    );
  });

  test("a fault in the arguments of something that is no tools/call refuses the message", () => {
    expect(readMessage('{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":1,"a":2}}}')).toMatchObject({
      kind: "refused",
      code: -32600,
      id: 1,
    });
  });

  test("unusable arguments do not go on to the parser's side", () => {
    const read = readMessage(call('{"message":"m","context":1,"context":2}'));
    expect(read).toMatchObject({ kind: "message", message: { params: { name: "elicit_approval", arguments: {} } } });
  });

  test("a batch names the message at fault, and is bounded", () => {
    expect(readMessage(`[${call("{}")},{"a":1,"a":2}]`)).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/^Message 1 of the batch/),
    });
    expect(readMessage(`[${call("{}")},${call("{}")}]`)).toMatchObject({ kind: "refused" });
    expect(readMessage(`[${call("{}")},${call("{}", '"1"')}]`)).toMatchObject({ kind: "message" });
    expect(readMessage(JSON.stringify(Array.from({ length: MAX_BATCH + 1 }, () => 0)))).toMatchObject({
      kind: "refused",
    });
  });
});

describe("watching a body", () => {
  test("a reader that leaves is told of and the source is ended; one that reads to the end is not", async () => {
    let ended = 0;
    let gone = 0;
    const source = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode("a")),
          cancel: () => void (ended += 1),
        }),
        { status: 201, headers: { "x-kept": "yes" } },
      );
    const left = watchBody(source(), () => (gone += 1));
    expect([left.status, left.headers.get("x-kept")]).toEqual([201, "yes"]);
    await left.body?.cancel();
    expect([gone, ended]).toEqual([1, 1]);
    expect(await watchBody(new Response("whole"), () => (gone += 1)).text()).toBe("whole");
    expect(watchBody(new Response(null, { status: 202 }), () => (gone += 1)).body).toBeNull();
    expect(gone).toBe(1);
  });
});
