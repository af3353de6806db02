/** Hands back the outcome: the payload exactly as it was approved, the answers, who decided and how it was proved. */
import type { Result } from "../../approval/approvals.ts";
import { ApprovalError } from "../../approval/errors.ts";
import { ID_INPUT, inputSchema, outputSchema, STATUS_OUTPUT, TIME_OUTPUT, type Tool } from "../tool.ts";
import { decisionFields, type Fields, isoTime, Verbatim } from "../wire.ts";

const PERSON = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } } } as const;

export const elicitResult: Tool = {
  listed: {
    name: "elicit_result",
    title: "Fetch the outcome",
    description:
      "Call when elicit_await or elicit_status shows a `decision`. Check `decision` first: on `submitted` run exactly the `context` (or use `formSubmission`) from this answer, never your own copy; on `declined` do not run it, and do not ask again unchanged. " +
      "It can be fetched again at any time. To run something only once, pass a `claimKey` of your own: the first key wins, also after a lost answer. " +
      "The error `pending` means wait on with elicit_await; `expired` and `canceled` mean nothing was approved.",
    inputSchema: inputSchema(
      {
        elicitationId: ID_INPUT,
        claimKey: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "Names the one run that this approval is for; a second key is refused with already_claimed.",
        },
        receipt: { type: "boolean", description: "Not supported yet: leave it out." },
      },
      ["elicitationId"],
    ),
    outputSchema: outputSchema(
      {
        elicitationId: { type: "string" },
        status: STATUS_OUTPUT,
        decision: { type: "string", enum: ["submitted", "declined"] },
        context: { description: "The payload as it was shown and decided; null when there was none." },
        formSubmission: {
          type: ["object", "null"],
          description: "The person's answers; null without a form and on a decline.",
        },
        decisions: {
          type: "array",
          items: {
            type: "object",
            properties: {
              reviewer: PERSON,
              decision: { type: "string" },
              at: TIME_OUTPUT,
              assurance: { type: "string" },
              comment: { type: "string" },
            },
          },
        },
        decidedBy: PERSON,
        decidedAt: TIME_OUTPUT,
        assurance: {
          type: "string",
          description: "The weakest proof among the decisions: session, reauthenticated or user-verified.",
        },
        contextDigest: { type: ["string", "null"] },
        claimed: { type: "boolean", description: "True when your claimKey holds the one run." },
      },
      ["status", "decision", "context", "formSubmission"],
    ),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },

  async call(args, call) {
    const receipt = args["receipt"] ?? false;
    if (typeof receipt !== "boolean")
      throw new ApprovalError("invalid_request", "receipt must be true or false.", { path: "/receipt" });
    if (receipt)
      throw new ApprovalError(
        "not_supported",
        "Receipts are not available yet. Leave receipt out to get the outcome itself.",
        { path: "/receipt" },
      );
    return outcomeFields(await call.approvals.result(args["elicitationId"], { claimKey: args["claimKey"] }));
  },
};

function outcomeFields(result: Result): Fields {
  switch (result.kind) {
    case "pending":
      throw new ApprovalError(
        "pending",
        `Nobody has decided yet; that is not a refusal. Do not run anything: call elicit_await, then elicit_result again. It can be decided until ${isoTime(result.expiresAt)}.`,
      );
    case "expired":
      throw new ApprovalError(
        "expired",
        `This approval expired at ${isoTime(result.at)} without a decision. Nothing was approved and it can no longer be: do not run it. If it is still needed, create a new one with elicit_approval.`,
      );
    case "canceled":
      throw new ApprovalError(
        "canceled",
        `This approval was canceled at ${isoTime(result.at)} before anybody decided. Nothing was approved: do not run it. If it is still needed, create a new one with elicit_approval.`,
      );
    case "already_claimed":
      throw new ApprovalError(
        "already_claimed",
        "Another claimKey already holds the one run of this approval. Do not run it again; if it was you, repeat the call with the key you used first.",
        { path: "/claimKey" },
      );
    case "decided":
      return {
        elicitationId: result.id,
        status: "consumed",
        decision: result.decision,
        context: result.contextText === null ? null : new Verbatim(result.contextText),
        formSubmission: result.answerText === null ? null : new Verbatim(result.answerText),
        decisions: result.decisions.map(decisionFields),
        decidedBy: { id: result.decidedBy.id, name: result.decidedBy.name },
        decidedAt: isoTime(result.decidedAt),
        assurance: result.assurance,
        contextDigest: result.contextDigest,
        claimed: result.claimed,
      };
  }
}
