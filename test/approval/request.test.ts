import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/approval/approval.ts";
import type { ApprovalInput } from "../../src/approval/approvals.ts";
import { digestOf } from "../../src/approval/canonical.ts";
import { newApprovalId } from "../../src/approval/id.ts";
import {
  DEFAULT_REQUEST_LIMITS,
  digestRequest,
  newApproval,
  readRequest,
  type ValidRequest,
} from "../../src/approval/request.ts";
import { refusalOf } from "./refusal.ts";

const SCHEMA = { type: "object", properties: { note: { type: "string" } } };

function read(input: ApprovalInput): ValidRequest {
  return readRequest(input, DEFAULT_REQUEST_LIMITS);
}
function ask(more: ApprovalInput = {}): ValidRequest {
  return read({ message: "Deploy?", context: '{"target":"prod"}', ...more });
}

describe("reading a request", () => {
  test("fills in the defaults", () => {
    expect(ask()).toMatchObject({
      message: "Deploy?",
      contextText: '{"target":"prod"}',
      contextDigest: digestOf("context", { target: "prod" }),
      schemaText: null,
      form: null,
      displayTemplate: null,
      labels: { submit: "Submit", decline: "Decline" },
      lifetimeSeconds: 3_600,
      idempotencyKey: null,
      ignored: [],
    });
  });

  test("null in an optional input is the same as absent", () => {
    const nulls = {
      requestedSchema: null,
      displayTemplate: null,
      labels: null,
      expiresInSeconds: null,
      idempotencyKey: null,
      policy: null,
      reviewers: null,
      minAssurance: null,
      revisionOf: null,
    };
    expect(ask(nulls)).toEqual(ask());
    expect(ask({ labels: { submit: null } })).toEqual(ask());
  });

  test.each(["0", "false", '""', "[]", "{}", "null", '"hello"', " [1] "])(
    "[BR 121] %s is a payload, kept as received",
    (context) => {
      expect(read({ message: "m", context })).toMatchObject({
        contextText: context,
        contextDigest: digestOf("context", JSON.parse(context)),
      });
    },
  );

  test("[BR 121] null is a payload of its own, unlike none; beside a form it is none", () => {
    expect(read({ message: "m", context: "null" }).contextDigest).toBe(digestOf("context", null));
    expect(read({ message: "m", context: "null", requestedSchema: SCHEMA })).toMatchObject({
      contextText: null,
      contextDigest: null,
    });
    expect(read({ message: "m", context: " null\n", requestedSchema: SCHEMA })).toMatchObject({
      contextText: null,
      contextDigest: null,
    });
    expect(read({ message: "m", context: "0", requestedSchema: SCHEMA })).toMatchObject({ contextText: "0" });
  });

  test("a form alone, and a payload with a form, are both requests", () => {
    const form = read({ message: "m", requestedSchema: SCHEMA });
    expect(form).toMatchObject({
      contextText: null,
      schemaText: JSON.stringify(SCHEMA),
      form: { fields: [{ name: "note" }] },
    });
    expect(ask({ requestedSchema: SCHEMA, displayTemplate: "<b>{{ context.target }}</b>" })).toMatchObject({
      displayTemplate: "<b>{{ context.target }}</b>",
      form: { fields: [{ name: "note" }] },
    });
  });

  test("labels are trimmed, and each has its own default", () => {
    expect(ask({ labels: { submit: "  Deploy now " } }).labels).toEqual({ submit: "Deploy now", decline: "Decline" });
    expect(ask({ labels: { submit: "😀".repeat(40), decline: "לא" } }).labels.decline).toBe("לא");
  });

  test.each<[unknown, number]>([
    [1, 60],
    [-5, 60],
    [59.99, 60],
    [60.9, 60],
    [90.5, 90],
    [604_800, 604_800],
    [604_801, 604_800],
    [1e300, 604_800],
  ])("[BR 43] expiresInSeconds %d lives %d seconds", (asked, lives) => {
    expect(ask({ expiresInSeconds: asked }).lifetimeSeconds).toBe(lives);
  });

  test("the operator may move both ends and the default", () => {
    const limits = { expiresMinSeconds: 5, expiresMaxSeconds: 10, expiresDefaultSeconds: 7 };
    const lives = (expiresInSeconds: unknown): number =>
      readRequest({ message: "m", context: "1", expiresInSeconds }, limits).lifetimeSeconds;
    expect([lives(undefined), lives(1), lives(99)]).toEqual([7, 5, 10]);
  });

  test("an empty template draws nothing and is none", () => {
    expect(ask({ displayTemplate: " \n" }).displayTemplate).toBeNull();
  });

  test("inputs that nothing understands are named, not refused", () => {
    expect(ask({ priority: "high", constructor: 1, x: undefined }).ignored).toEqual(["priority", "constructor"]);
  });

  test.each<[string, ApprovalInput, string, string]>([
    ["no message", { message: undefined }, "invalid_request", "/message"],
    ["an empty message", { message: "" }, "invalid_request", "/message"],
    ["a blank message", { message: " \n\t\u00a0" }, "invalid_request", "/message"],
    ["a message of invisible characters", { message: "\u200b\u3164\u2800" }, "invalid_request", "/message"],
    ["a message that is no string", { message: 5 }, "invalid_request", "/message"],
    ["4,001 characters", { message: "m".repeat(4_001) }, "invalid_request", "/message"],
    ["half a character", { message: "\ud800" }, "invalid_request", "/message"],
    ["NUL in a message", { message: "a\0b" }, "invalid_request", "/message"],
    ["neither payload nor form", { context: undefined }, "invalid_request", ""],
    ["a null form and no payload", { context: undefined, requestedSchema: null }, "invalid_request", ""],
    ["a rounded number in the payload", { context: '{"amount":9007199254740993}' }, "unsafe_number", "/context/amount"],
    ["a number beyond all", { context: '{"id":1,"x":1e400}' }, "unsafe_number", "/context/x"],
    ["a doubled key in the payload", { context: '{"a":1,"a":2}' }, "invalid_request", "/context/a"],
    ["__proto__ in the payload", { context: '{"a":{"__proto__":1}}' }, "invalid_request", "/context/a/__proto__"],
    ["half a character in the payload", { context: '["\\ud800"]' }, "invalid_request", "/context/0"],
    ["half a character in a key", { context: '{"\\ud800":1}' }, "invalid_request", "/context/\ufffd"],
    ["no JSON", { context: "{" }, "invalid_request", "/context"],
    ["a payload of 33 levels", { context: "[".repeat(33) + "]".repeat(33) }, "too_large", `/context${"/0".repeat(32)}`],
    [
      "a payload of 100,000 levels",
      { context: "[".repeat(100_000) + "]".repeat(100_000) },
      "too_large",
      `/context${"/0".repeat(32)}`,
    ],
    ["a payload of 20,001 values", { context: `[${"1,".repeat(19_999)}1]` }, "too_large", "/context/19999"],
    ["a payload above 256 KiB", { context: `"${"a".repeat(262_143)}"` }, "too_large", "/context"],
    ["a payload above 256 KiB only as UTF-8", { context: `"${"é".repeat(131_072)}"` }, "too_large", "/context"],
    ["a form that is no object", { requestedSchema: "form" }, "invalid_request", "/requestedSchema"],
    [
      "a form outside the subset",
      { requestedSchema: { type: "object", properties: { a: { type: "string", pattern: "x" } } } },
      "unsupported_schema",
      "/requestedSchema/properties/a/pattern",
    ],
    [
      "a form that asks for a secret",
      { requestedSchema: { type: "object", properties: { password: { type: "string" } } } },
      "secret_field",
      "/requestedSchema/properties/password",
    ],
    ["a template that is no string", { displayTemplate: {} }, "invalid_request", "/displayTemplate"],
    ["a template above 20,480 bytes", { displayTemplate: "é".repeat(10_241) }, "too_large", "/displayTemplate"],
    ["half a character in a template", { displayTemplate: "\udc00" }, "invalid_request", "/displayTemplate"],
    ["labels that are no object", { labels: "Go" }, "invalid_request", "/labels"],
    ["labels in an array", { labels: ["Go"] }, "invalid_request", "/labels"],
    ["an unknown label", { labels: { submit: "Go", ok: "Go" } }, "invalid_request", "/labels/ok"],
    ["a blank label", { labels: { submit: "  " } }, "invalid_request", "/labels/submit"],
    ["41 characters of label", { labels: { decline: "x".repeat(41) } }, "invalid_request", "/labels/decline"],
    ["a label that is no string", { labels: { decline: 1 } }, "invalid_request", "/labels/decline"],
    [
      "[BR 107] a reordering character in a label",
      { labels: { submit: "rm\u202etxt" } },
      "invalid_request",
      "/labels/submit",
    ],
    ["a no-break space in a label", { labels: { submit: "a\u00a0b" } }, "invalid_request", "/labels/submit"],
    ["a line break in a label", { labels: { submit: "a\nb" } }, "invalid_request", "/labels/submit"],
    ["an expiry in words", { expiresInSeconds: "60" }, "invalid_request", "/expiresInSeconds"],
    ["an expiry that is no number", { expiresInSeconds: Number.NaN }, "invalid_request", "/expiresInSeconds"],
    ["an endless expiry", { expiresInSeconds: Infinity }, "invalid_request", "/expiresInSeconds"],
    ["[BR 196] a date as expiry", { expiresInSeconds: "2026-12-01" }, "invalid_request", "/expiresInSeconds"],
    ["an empty key", { idempotencyKey: "" }, "invalid_request", "/idempotencyKey"],
    ["201 characters of key", { idempotencyKey: "k".repeat(201) }, "invalid_request", "/idempotencyKey"],
    ["a policy", { policy: {} }, "not_supported", "/policy"],
    ["named reviewers", { reviewers: [] }, "not_supported", "/reviewers"],
    ["an assurance", { minAssurance: "user-verified" }, "not_supported", "/minAssurance"],
    ["a revision", { revisionOf: "x" }, "not_supported", "/revisionOf"],
  ])("refuses %s, with its path", (_, more, code, path) => {
    const refusal = refusalOf(() => ask(more));
    expect(refusal).toMatchObject({ code, path });
    expect(refusal.message).toMatch(/^[A-Za-z].{15,}\.$/s);
  });

  test("accepts what stands exactly at each limit", () => {
    const context = `"${"a".repeat(262_142)}"`;
    expect(
      read({
        message: "😀".repeat(4_000),
        context,
        displayTemplate: "é".repeat(10_240),
        labels: { submit: "x".repeat(40) },
        idempotencyKey: "k".repeat(200),
      }).contextText,
    ).toBe(context);
    expect(ask({ context: "[".repeat(32) + "]".repeat(32) }).contextText).toHaveLength(64);
    expect(ask({ context: `[${"1,".repeat(19_998)}1]` }).contextText).toHaveLength(39_999);
  });
});

describe("the digest of a request", () => {
  test("is the documented one, absent members as null", () => {
    expect(ask().requestDigest).toBe(
      digestOf("request", {
        kind: "approval",
        message: "Deploy?",
        contextDigest: digestOf("context", { target: "prod" }),
        requestedSchema: null,
        displayTemplate: null,
        labels: { submit: "Submit", decline: "Decline" },
      }),
    );
  });

  test("[BR 100] [BR 104] does not depend on key order, blanks or the spelling of numbers in the payload", () => {
    const digest = ask({ context: '{"a":1,"b":0.1}' }).requestDigest;
    expect(ask({ context: ' { "b" : 0.10 , "a" : 1.0 } ' }).requestDigest).toBe(digest);
    expect(ask({ context: '{"a":1,"b":0.2}' }).requestDigest).not.toBe(digest);
  });

  test("[BR 97] differs for every other message, payload, form, template and label, and for nothing else", () => {
    const digests = [
      ask(),
      ask({ message: "Deploy!" }),
      ask({ context: '{"target":"test"}' }),
      ask({ context: "null" }),
      ask({ requestedSchema: SCHEMA }),
      ask({ context: "null", requestedSchema: SCHEMA }),
      ask({ requestedSchema: { ...SCHEMA, title: "t" } }),
      ask({ displayTemplate: "x" }),
      ask({ labels: { submit: "Go" } }),
      ask({ labels: { decline: "Go" } }),
    ].map((valid) => valid.requestDigest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(
      ask({ expiresInSeconds: 90, idempotencyKey: "k", other: 1, labels: { submit: " Submit " } }).requestDigest,
    ).toBe(ask().requestDigest);
  });

  test("[BR 103] is the same when made again from the stored text", () => {
    const context = fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => JSON.stringify(value))
      .filter((text) => !text.includes("__proto__"));
    fc.assert(
      fc.property(context, fc.boolean(), (text, withForm) => {
        const valid = ask({ context: text, ...(withForm ? { requestedSchema: SCHEMA } : {}) });
        const stored = JSON.parse(JSON.stringify(valid)) as ValidRequest;
        expect(digestRequest(stored)).toBe(valid.requestDigest);
        if (stored.contextText !== null)
          expect(digestOf("context", JSON.parse(stored.contextText))).toBe(valid.contextDigest);
      }),
    );
  });
});

describe("a new approval", () => {
  test("is pending, with deadline and policy frozen in", () => {
    const now = Date.UTC(2026, 10, 1);
    const id = newApprovalId(now, new Uint8Array(16));
    const requester = { agent: { id: "a", name: "builder" }, owner: null, client: null };
    const valid = ask({ expiresInSeconds: 90, idempotencyKey: "k" });
    expect(newApproval(valid, { workspace: "default", id, now, requester, policy: DEFAULT_POLICY })).toEqual({
      workspace: "default",
      id,
      kind: "approval",
      requester,
      message: "Deploy?",
      contextText: '{"target":"prod"}',
      contextDigest: valid.contextDigest,
      schemaText: null,
      labels: { submit: "Submit", decline: "Decline" },
      displayTemplate: null,
      requestDigest: valid.requestDigest,
      policy: DEFAULT_POLICY,
      policyDigest: digestOf("policy", { ...DEFAULT_POLICY }),
      idempotencyKey: "k",
      createdAt: now,
      expiresAt: now + 90_000,
      status: "pending",
    });
  });
});
