/** The table from error codes to answers, and the one from domain values to wire words. */
import { describe, expect, test } from "vitest";
import { ApprovalError, ERROR_CODES } from "../../src/approval/errors.ts";
import { answer, failure, isTellable, TEXT_LIMIT_BYTES, TOOL_CODES, Verbatim } from "../../src/mcp/wire.ts";
import { callTool, openBench } from "./endpoint.ts";

describe.each(ERROR_CODES)("the code %s", (code) => {
  const error = new ApprovalError(code, "What is wrong, and what to change.", {
    path: "/context/a",
    retryAfterSeconds: 7,
  });

  test("becomes an error result with code, message, path and retryAfterSeconds, and the same JSON as text", () => {
    const result = failure(error);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code, message: error.message, path: "/context/a", retryAfterSeconds: 7 } },
    });
    const [text] = result.content;
    expect(JSON.parse(text?.type === "text" ? text.text : "")).toEqual(result.structuredContent);
  });

  test("over the wire it is told, or is internal when it belongs to pages only", async () => {
    const fail = () => Promise.reject(error);
    await using bench = await openBench({
      approvalsOf: () => ({ request: fail, status: fail, wait: fail, result: fail, cancel: fail, list: fail }),
    });
    const told = (await callTool(await bench.connect("modern"), "elicit_status", { elicitationId: "x" })).structured[
      "error"
    ];
    expect(told).toMatchObject({ code: TOOL_CODES[code] ? code : "internal" });
    const isOurs =
      code === "internal" || code === "unavailable" || code === "proof_required" || code === "setup_required";
    expect(bench.reports.map((each) => each.error)).toEqual(isOurs ? [error] : []);
  });
});

test("only our own error class is told", () => {
  for (const other of [new Error("pending"), { code: "pending", message: "x" }, undefined, "pending"])
    expect(isTellable(other)).toBe(false);
});

test("an error without path and retry carries neither", () => {
  expect(failure(new ApprovalError("not_found", "x")).structuredContent).toEqual({
    error: { code: "not_found", message: "x" },
  });
});

describe("answers", () => {
  const textOf = (fields: Parameters<typeof answer>[0]): string => {
    const [first] = answer(fields).content;
    return first?.type === "text" ? first.text : "";
  };

  test("absent members are left out, source text is spliced in as it stands", () => {
    const fields = { a: 1, b: undefined, context: new Verbatim('{ "z":1.0, "a":[ ] }'), c: null };
    expect(textOf(fields)).toBe('{"a":1,"context":{ "z":1.0, "a":[ ] },"c":null}');
    expect(answer(fields).structuredContent).toEqual({ a: 1, context: { z: 1, a: [] }, c: null });
  });

  test("the text is whole up to 8 KiB of UTF-8, and a summary above", () => {
    const sized = (bytes: number) => ({
      status: "consumed",
      context: "ä".repeat((bytes - '{"status":"consumed","context":""}'.length) / 2),
    });
    expect(Buffer.byteLength(textOf(sized(TEXT_LIMIT_BYTES)))).toBe(TEXT_LIMIT_BYTES);
    expect(textOf(sized(TEXT_LIMIT_BYTES + 2))).toBe(
      'status: "consumed". The whole answer is 8194 bytes of JSON, too long for text: read context from structuredContent.',
    );
  });
});
