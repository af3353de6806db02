/** Takes back a question that nobody has decided. */
import { ApprovalError } from "../../approval/errors.ts";
import { ID_INPUT, inputSchema, outputSchema, STATUS_OUTPUT, type Tool } from "../tool.ts";
import { isoTime, standingFields } from "../wire.ts";

export const elicitCancel: Tool = {
  listed: {
    name: "elicit_cancel",
    title: "Take back an approval request",
    description:
      "Withdraws one of your own pending approvals for good, for instance when the user changed their mind or the payload is out of date; nobody can decide it afterwards, and calls that wait for it end. " +
      "To change the payload, cancel and ask again. Never cancel to hurry a reviewer. If a person decided first you get `already_decided`: call elicit_result and respect the decision.",
    inputSchema: inputSchema(
      { elicitationId: ID_INPUT, reason: { type: "string", maxLength: 500, description: "Why, for the reviewer." } },
      ["elicitationId"],
    ),
    outputSchema: outputSchema({ elicitationId: { type: "string" }, status: STATUS_OUTPUT }, ["status"]),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },

  async call(args, call) {
    const canceled = await call.approvals.cancel(args["elicitationId"], { reason: args["reason"] });
    const { standing } = canceled;
    switch (canceled.kind) {
      case "canceled":
        return standingFields(standing);
      case "already_decided": {
        const who = canceled.by === undefined ? "" : ` by ${canceled.by.name}`;
        const when = standing.decidedAt === undefined ? "" : ` at ${isoTime(standing.decidedAt)}`;
        throw new ApprovalError(
          "already_decided",
          `Too late to cancel: it was ${standing.decision ?? "decided"}${who}${when}. Call elicit_result for the outcome.`,
        );
      }
      case "expired":
        throw new ApprovalError(
          "expired",
          `There is nothing to cancel: it expired at ${isoTime(standing.expiresAt)} without a decision.`,
        );
    }
  },
};
