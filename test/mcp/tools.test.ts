/** Every tool, by the real SDK client, in both protocol eras. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { loadApproval } from "../../src/store/approvals.ts";
import { TOOLS } from "../../src/mcp/server.ts";
import { type Bench, callTool, ERAS, openBench } from "./endpoint.ts";

const DEPLOY = { message: "Deploy to production", context: { target: "prod" } };
const FORM = {
  message: "Approve the deploy",
  requestedSchema: {
    type: "object",
    properties: {
      approver: { type: "string", title: "Your name", minLength: 2 },
      confidence: { type: "integer", minimum: 0, maximum: 100 },
    },
    required: ["approver", "confidence"],
  },
};

describe.each(ERAS)("in the %s era", (era) => {
  let bench: Bench;
  let client: Client;
  beforeAll(async () => {
    bench = await openBench();
    client = await bench.connect(era);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test("the instructions say the three steps and that no tool decides", () => {
    const words = client.getInstructions() ?? "";
    for (const word of ["elicit_approval", "elicit_await", "elicit_result", "Only a person", "do not run it"])
      expect(words).toContain(word);
  });

  test("the tools are listed with titles, short descriptions, annotations and open output schemas", async () => {
    const { tools } = await client.listTools();
    expect(
      tools.map(({ name, annotations }) => ({
        name,
        readOnly: annotations?.readOnlyHint,
        destructive: annotations?.destructiveHint,
        idempotent: annotations?.idempotentHint,
      })),
    ).toEqual([
      { name: "elicit_approval", readOnly: false, destructive: false, idempotent: false },
      { name: "elicit_await", readOnly: true, destructive: undefined, idempotent: true },
      { name: "elicit_status", readOnly: true, destructive: undefined, idempotent: true },
      { name: "elicit_result", readOnly: false, destructive: false, idempotent: true },
      { name: "elicit_cancel", readOnly: false, destructive: true, idempotent: true },
      { name: "elicit_list", readOnly: true, destructive: undefined, idempotent: true },
      { name: "elicit_ping", readOnly: true, destructive: undefined, idempotent: true },
    ]);
    for (const tool of tools) {
      expect(tool.title, tool.name).toBeTruthy();
      expect(tool.description?.length, tool.name).toBeGreaterThan(100);
      expect(tool.description?.length, tool.name).toBeLessThanOrEqual(600);
      expect(tool.outputSchema, tool.name).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        additionalProperties: true,
      });
    }
  });

  test("[BR 72] the descriptions say that pending, expired and canceled are never approval", async () => {
    const { tools } = await client.listTools();
    const words = (name: string) => tools.find((tool) => tool.name === name)?.description;
    expect(words("elicit_await")).toContain("Never treat `pending`, `expired` or `canceled` as approval");
    expect(words("elicit_result")).toContain("`expired` and `canceled` mean nothing was approved");
  });

  test("a payload goes the whole way: asked, decided, fetched, and it stays fetchable", async () => {
    const asked = await callTool(client, "elicit_approval", DEPLOY);
    const id = asked.structured["elicitationId"] as string;
    expect(asked).toMatchObject({
      isError: false,
      structured: {
        status: "pending",
        elicitationDelivered: false,
        reviewUrl: `http://localhost:4747/review?elicitationId=${id}`,
      },
    });
    expect(Object.keys(asked.structured).sort()).toEqual([
      "contextDigest",
      "elicitationDelivered",
      "elicitationId",
      "expiresAt",
      "reviewUrl",
      "status",
    ]);
    expect(asked.structured["expiresAt"]).toBe(new Date(bench.clock.now() + 3_600_000).toISOString());
    expect(JSON.parse(asked.text)).toEqual(asked.structured);

    await bench.decide(id, "submitted", { comment: "go" });
    expect((await callTool(client, "elicit_status", { elicitationId: id })).structured).toMatchObject({
      status: "submitted",
      decision: "submitted",
      decidedAt: new Date(bench.clock.now()).toISOString(),
    });

    const fetched = await callTool(client, "elicit_result", { elicitationId: id });
    expect(fetched.isError).toBe(false);
    expect(fetched.structured).toEqual({
      elicitationId: id,
      status: "consumed",
      decision: "submitted",
      context: { target: "prod" },
      formSubmission: null,
      decisions: [
        {
          reviewer: { id: expect.any(String), name: "Anna" },
          decision: "submitted",
          at: new Date(bench.clock.now()).toISOString(),
          assurance: "reauthenticated",
          comment: "go",
        },
      ],
      decidedBy: { id: expect.any(String), name: "Anna" },
      decidedAt: new Date(bench.clock.now()).toISOString(),
      assurance: "reauthenticated",
      contextDigest: asked.structured["contextDigest"],
    });
    expect(JSON.parse(fetched.text)).toEqual(fetched.structured);
    expect((await callTool(client, "elicit_result", { elicitationId: id })).structured).toEqual(fetched.structured);
    expect((await callTool(client, "elicit_status", { elicitationId: id })).structured).toMatchObject({
      status: "consumed",
      decision: "submitted",
    });
  });

  test("a form's answers come back as formSubmission, the context beside it unchanged", async () => {
    const asked = await callTool(client, "elicit_approval", { ...FORM, context: { service: "api" } });
    const id = asked.structured["elicitationId"] as string;
    await bench.decide(id, "submitted", {
      answers: new Map([
        ["approver", ["Ada"]],
        ["confidence", ["80"]],
      ]),
    });
    expect((await callTool(client, "elicit_result", { elicitationId: id })).structured).toMatchObject({
      decision: "submitted",
      context: { service: "api" },
      formSubmission: { approver: "Ada", confidence: 80 },
    });
  });

  test("a decline is an outcome, not an error, and carries no answers", async () => {
    const asked = await callTool(client, "elicit_approval", FORM);
    const id = asked.structured["elicitationId"] as string;
    await bench.decide(id, "declined");
    expect(await callTool(client, "elicit_result", { elicitationId: id })).toMatchObject({
      isError: false,
      structured: { status: "consumed", decision: "declined", context: null, formSubmission: null },
    });
  });

  test("[BR 33] the result of a pending approval is told as undecided, not as a refusal", async () => {
    const id = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"];
    expect((await callTool(client, "elicit_status", { elicitationId: id })).structured).toMatchObject({
      status: "pending",
    });
    const early = await callTool(client, "elicit_result", { elicitationId: id });
    expect(early).toMatchObject({
      isError: true,
      structured: { error: { code: "pending", message: expect.stringMatching(/not a refusal.*elicit_await/) } },
    });
    expect(JSON.parse(early.text)).toEqual(early.structured);
  });

  test("[BR 67] the result of an expired approval says that nothing was approved and to ask anew", async () => {
    const id = (await callTool(client, "elicit_approval", { ...DEPLOY, expiresInSeconds: 60 })).structured[
      "elicitationId"
    ];
    await bench.clock.advance(60_000);
    const late = await callTool(client, "elicit_result", { elicitationId: id });
    expect(late).toMatchObject({
      isError: true,
      structured: {
        error: {
          code: "expired",
          message: expect.stringMatching(/expired at .*Nothing was approved.*create a new one/),
        },
      },
    });
    expect((await callTool(client, "elicit_cancel", { elicitationId: id })).structured).toMatchObject({
      error: { code: "expired" },
    });
  });

  test("cancel takes back a pending approval, twice is fine, and the result says so", async () => {
    const id = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"];
    expect(await callTool(client, "elicit_cancel", { elicitationId: id, reason: "changed my mind" })).toMatchObject({
      isError: false,
      structured: { elicitationId: id, status: "canceled" },
    });
    expect((await callTool(client, "elicit_cancel", { elicitationId: id })).structured).toEqual({
      elicitationId: id,
      status: "canceled",
    });
    expect((await callTool(client, "elicit_result", { elicitationId: id })).structured).toMatchObject({
      error: { code: "canceled", message: expect.stringMatching(/Nothing was approved/) },
    });
  });

  test("a cancel that lost the race is told who decided and when", async () => {
    const id = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"] as string;
    await bench.decide(id, "declined");
    const late = await callTool(client, "elicit_cancel", { elicitationId: id });
    expect(late).toMatchObject({
      isError: true,
      structured: {
        error: { code: "already_decided", message: expect.stringMatching(/declined by Anna at 20.*elicit_result/) },
      },
    });
  });

  test("[BR 57] the first claimKey holds the one run, also when it asks again; another is refused", async () => {
    const id = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"] as string;
    await bench.decide(id, "submitted");
    for (const again of [1, 2])
      expect(
        (await callTool(client, "elicit_result", { elicitationId: id, claimKey: "run-1" })).structured,
        `time ${again}`,
      ).toMatchObject({ claimed: true });
    expect(await callTool(client, "elicit_result", { elicitationId: id, claimKey: "run-2" })).toMatchObject({
      isError: true,
      structured: { error: { code: "already_claimed", path: "/claimKey" } },
    });
    expect((await callTool(client, "elicit_result", { elicitationId: id })).structured["claimed"]).toBeUndefined();
  });

  test("the same idempotency key finds the same approval, other input under it is a conflict", async () => {
    const keyed = { ...DEPLOY, idempotencyKey: `key-${era}` };
    const [first, second] = [
      await callTool(client, "elicit_approval", keyed),
      await callTool(client, "elicit_approval", keyed),
    ];
    expect(second.structured["elicitationId"]).toBe(first.structured["elicitationId"]);
    expect(await callTool(client, "elicit_approval", { ...keyed, message: "Another" })).toMatchObject({
      isError: true,
      structured: { error: { code: "idempotency_conflict", path: "/idempotencyKey" } },
    });
    const listed = await callTool(client, "elicit_list", { idempotencyKey: `key-${era}` });
    expect(listed.structured["elicitations"]).toMatchObject([
      { elicitationId: first.structured["elicitationId"], idempotencyKey: `key-${era}`, status: "pending" },
    ]);
  });

  test("the list gives the requester's own, newest first, page by page", async () => {
    const ids: unknown[] = [];
    for (const n of [1, 2, 3]) {
      await bench.clock.advance(1);
      ids.push(
        (await callTool(client, "elicit_approval", { ...DEPLOY, message: `Listed ${n}` })).structured["elicitationId"],
      );
    }
    const other = await bench.addAgent(`other-${era}`);
    expect((await callTool(await bench.connect(era, { token: other.token }), "elicit_list")).structured).toEqual({
      elicitations: [],
    });
    const page = await callTool(client, "elicit_list", { limit: 2.9, status: "pending" });
    expect(page.structured["elicitations"]).toMatchObject([
      { elicitationId: ids[2], message: "Listed 3", reviewUrl: expect.stringContaining(ids[2] as string) },
      { elicitationId: ids[1] },
    ]);
    const next = await callTool(client, "elicit_list", { limit: 1, cursor: page.structured["nextCursor"] });
    expect(next.structured["elicitations"]).toMatchObject([{ elicitationId: ids[0] }]);
    expect(await callTool(client, "elicit_list", { limit: "2" })).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path: "/limit" } },
    });
  });

  test("[BR 31] unknown and foreign ids get the same not_found in every tool, with no hint to retry", async () => {
    const other = await bench.addAgent(`stranger-${era}`);
    const stranger = await bench.connect(era, { token: other.token });
    const foreign = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"] as string;
    for (const name of ["elicit_await", "elicit_status", "elicit_result", "elicit_cancel"]) {
      const answers = [
        await callTool(stranger, name, { elicitationId: foreign }),
        await callTool(stranger, name, { elicitationId: `${"0".repeat(36)}` }),
        await callTool(stranger, name, { elicitationId: "nonsense" }),
      ];
      for (const each of answers) {
        expect(each, name).toMatchObject({
          isError: true,
          structured: { error: { code: "not_found", path: "/elicitationId" } },
        });
        expect(each.text, name).toBe(answers[0]?.text);
        expect(each.text, name).not.toContain("retryAfterSeconds");
      }
    }
    expect((await callTool(client, "elicit_status", { elicitationId: foreign })).structured["status"]).toBe("pending");
  });

  test("a repeated unknown id costs nothing and never changes its answer", async () => {
    const texts = new Set<string>();
    for (let n = 0; n < 100; n += 1)
      texts.add((await callTool(client, "elicit_await", { elicitationId: "0".repeat(36) })).text);
    expect(texts.size).toBe(1);
    expect(bench.deps.waiters.size).toBe(0);
  });

  test("null in an optional input is the same as leaving it out", async () => {
    const asked = await callTool(client, "elicit_approval", {
      ...DEPLOY,
      requestedSchema: null,
      displayTemplate: null,
      labels: null,
      expiresInSeconds: null,
      idempotencyKey: null,
      policy: null,
    });
    expect(asked).toMatchObject({ isError: false, structured: { status: "pending" } });
    expect(asked.structured["ignored"]).toBeUndefined();
    const id = asked.structured["elicitationId"];
    expect((await callTool(client, "elicit_await", { elicitationId: id, waitSeconds: 0 })).structured).toMatchObject({
      status: "pending",
    });
    expect((await callTool(client, "elicit_cancel", { elicitationId: id, reason: null })).structured).toMatchObject({
      status: "canceled",
    });
    expect(
      (await callTool(client, "elicit_result", { elicitationId: id, claimKey: null, receipt: null })).structured,
    ).toMatchObject({ error: { code: "canceled" } });
    expect(
      (await callTool(client, "elicit_list", { status: null, limit: null, cursor: null, idempotencyKey: null }))
        .isError,
    ).toBe(false);
    expect((await callTool(client, "elicit_ping", { message: null })).structured).toEqual({ message: "pong" });
  });

  test("an unknown input is named in ignored by every tool, and is not an error", async () => {
    const asked = await callTool(client, "elicit_approval", { ...DEPLOY, urgent: true, approved: true });
    expect(asked).toMatchObject({ isError: false, structured: { status: "pending", ignored: ["urgent", "approved"] } });
    const id = asked.structured["elicitationId"] as string;
    await bench.decide(id, "submitted");
    for (const name of ["elicit_await", "elicit_status", "elicit_result", "elicit_list", "elicit_ping"]) {
      const { elicitationId, ...rest } = { elicitationId: id, extra: 1 };
      const args = name === "elicit_list" || name === "elicit_ping" ? rest : { elicitationId, ...rest };
      expect((await callTool(client, name, args)).structured["ignored"], name).toEqual(["extra"]);
    }
  });

  test("inputs that are announced but not built are refused, and nothing is stored", async () => {
    const before = (await callTool(client, "elicit_list", { limit: 100 })).structured["elicitations"] as unknown[];
    for (const name of ["policy", "reviewers", "minAssurance", "revisionOf"]) {
      expect(await callTool(client, "elicit_approval", { ...DEPLOY, [name]: "x" }), name).toMatchObject({
        isError: true,
        structured: { error: { code: "not_supported", path: `/${name}` } },
      });
    }
    expect(await callTool(client, "elicit_result", { elicitationId: "0".repeat(36), receipt: true })).toMatchObject({
      isError: true,
      structured: { error: { code: "not_supported", path: "/receipt" } },
    });
    expect(await callTool(client, "elicit_result", { elicitationId: "0".repeat(36), receipt: "yes" })).toMatchObject({
      structured: { error: { code: "invalid_request", path: "/receipt" } },
    });
    expect((await callTool(client, "elicit_list", { limit: 100 })).structured["elicitations"]).toHaveLength(
      before.length,
    );
  });

  test("bad input is a tool result in our words with a pointer, never a protocol error", async () => {
    const cases: [Record<string, unknown>, string, string][] = [
      [{ context: 1 }, "invalid_request", "/message"],
      [{ message: 7, context: 1 }, "invalid_request", "/message"],
      [{ message: "x" }, "invalid_request", ""],
      [{ ...DEPLOY, labels: { ok: "x" } }, "invalid_request", "/labels/ok"],
      [{ ...DEPLOY, expiresInSeconds: "60" }, "invalid_request", "/expiresInSeconds"],
      [{ ...DEPLOY, displayTemplate: "x".repeat(20_481) }, "too_large", "/displayTemplate"],
      [{ message: "x", context: "y".repeat(262_145) }, "too_large", "/context"],
      [
        { message: "x", requestedSchema: { type: "object", properties: { password: { type: "string" } } } },
        "secret_field",
        "/requestedSchema/properties/password",
      ],
    ];
    for (const [args, code, path] of cases) {
      const refused = await callTool(client, "elicit_approval", args);
      expect(refused, JSON.stringify(args).slice(0, 80)).toMatchObject({
        isError: true,
        structured: { error: { code, path } },
      });
    }
  });

  test("an unknown tool is a protocol error that names the tools there are", async () => {
    await expect(client.callTool({ name: "elicit_approve", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("elicit_approval"),
    });
    await expect(client.callTool({ name: "__proto__", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  test("what the host says it is goes to the reviewer as a claim", async () => {
    const id = (await callTool(client, "elicit_approval", DEPLOY)).structured["elicitationId"] as string;
    expect((await loadApproval(bench.deps.db, bench.deps.workspace, id))?.requester).toMatchObject({
      agent: { name: "deployer" },
      client: { name: "test-host", version: "1.2.3" },
    });
  });

  test("above 8 KiB the text is a summary that points to the structured part", async () => {
    const id = (await callTool(client, "elicit_approval", { message: "Big", context: { log: "ä".repeat(5_000) } }))
      .structured["elicitationId"] as string;
    await bench.decide(id, "submitted");
    const fetched = await callTool(client, "elicit_result", { elicitationId: id });
    expect(fetched.structured["context"]).toEqual({ log: "ä".repeat(5_000) });
    expect(Buffer.byteLength(fetched.text)).toBeLessThan(2_000);
    expect(fetched.text).toMatch(/decision: "submitted".*read context.* from structuredContent/);
  });

  test("ping answers with the message", async () => {
    expect((await callTool(client, "elicit_ping", { message: "hello" })).structured).toEqual({
      message: "pong: hello",
    });
    expect(await callTool(client, "elicit_ping", { message: 1 })).toMatchObject({
      isError: true,
      structured: { error: { code: "invalid_request", path: "/message" } },
    });
  });

  test("no fault of our own was reported by any of this", () => {
    expect(bench.reports).toEqual([]);
  });
});

test("each tool stands in a file of its own name", async () => {
  for (const tool of TOOLS) {
    const module = (await import(`../../src/mcp/tools/${tool.listed.name}.ts`)) as Record<string, unknown>;
    expect(Object.values(module)).toContain(tool);
  }
});

test("without a reviewer the approval is stored all the same, and the operator's command is told", async () => {
  await using bench = await openBench({ withoutReviewer: true });
  const asked = await callTool(await bench.connect("modern"), "elicit_approval", DEPLOY);
  expect(asked).toMatchObject({
    isError: false,
    structured: { status: "pending", next: expect.stringContaining("countersign reviewer add") },
  });
  expect(asked.text).toContain("countersign reviewer add");
  expect(await bench.approvals.status(asked.structured["elicitationId"])).toMatchObject({ status: "pending" });
});
