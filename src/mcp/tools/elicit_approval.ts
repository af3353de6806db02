/** Asks a person: stores the approval, and answers at once with the link. */
import { DECISION_OUTPUT, inputSchema, outputSchema, STATUS_OUTPUT, TIME_OUTPUT, type Tool } from "../tool.ts";
import { isoTime, reviewUrl, standingFields } from "../wire.ts";

export const elicitApproval: Tool = {
  listed: {
    name: "elicit_approval",
    title: "Ask a person to approve",
    description:
      "Use before anything risky or irreversible: a person reads exactly what you send in `context` and submits or declines it, on any device, even if you disconnect. " +
      "Pass `requestedSchema` when the person must fill in values. Returns at once with `status: pending` and a `reviewUrl`: show that link to your user, then call elicit_await, then elicit_result. " +
      "Run only what elicit_result hands back. Never act while it is pending, never open the link yourself, never ask for passwords or other secrets.",
    inputSchema: inputSchema(
      {
        message: {
          type: "string",
          minLength: 1,
          maxLength: 4000,
          description: "What the person is asked, in plain text.",
        },
        context: {
          description:
            "Any JSON value: exactly what will run. Shown read-only and handed back unchanged. Send large or exact numbers as strings. At least one of context and requestedSchema is needed.",
        },
        requestedSchema: {
          type: "object",
          description:
            "A flat form in the MCP elicitation subset: {type: 'object', properties, required?} of strings, numbers, booleans and choices.",
        },
        displayTemplate: {
          type: "string",
          description: "A LiquidJS template that draws `context` for the person; at most 20 KB.",
        },
        labels: {
          type: "object",
          description: "Other words for the two buttons, 1 to 40 characters each.",
          properties: { submit: { type: "string" }, decline: { type: "string" } },
        },
        expiresInSeconds: {
          type: "number",
          description: "How long it can be decided; default 3600, clamped to 60 to 604800.",
        },
        idempotencyKey: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "The same key with the same input finds the same approval again: retry safely with it.",
        },
      },
      ["message"],
    ),
    outputSchema: outputSchema(
      {
        elicitationId: { type: "string" },
        status: STATUS_OUTPUT,
        decision: DECISION_OUTPUT,
        reviewUrl: { type: "string", description: "Where a reviewer decides, after signing in. Show it to the user." },
        expiresAt: TIME_OUTPUT,
        elicitationDelivered: { type: "boolean", description: "True when the host was also handed the link itself." },
        contextDigest: { type: ["string", "null"], description: "sha256 of the payload; null when there is none." },
        next: { type: "string", description: "What stands in the way, and what to do about it." },
      },
      ["elicitationId", "status", "reviewUrl", "expiresAt", "elicitationDelivered"],
    ),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },

  async call(args, call) {
    const { context: _parsed, ...others } = args;
    const input = call.contextText === undefined ? others : { ...others, context: call.contextText };
    const requested = await call.approvals.request(input, { client: call.client });
    const url = reviewUrl(call.publicUrl, requested.id);
    const elicitationDelivered =
      requested.status === "pending" && typeof args["message"] === "string"
        ? await call.push({ elicitationId: requested.id, message: args["message"], url })
        : false;
    return {
      ...standingFields(requested),
      reviewUrl: url,
      expiresAt: isoTime(requested.expiresAt),
      elicitationDelivered,
      contextDigest: requested.contextDigest,
      next: requested.reviewable ? undefined : nobodyEnrolled(call.publicUrl),
      ignored: requested.ignored,
    };
  },
};

function nobodyEnrolled(publicUrl: string): string {
  return (
    "The approval is stored, but no reviewer is enrolled yet, so nobody can decide it. Tell the operator to run `countersign reviewer add NAME`, " +
    `or \`countersign setup\` and to open ${publicUrl}/setup with the code. Then the same reviewUrl works.`
  );
}
