/** Says how an approval stands, at once, and changes nothing. */
import {
  DECISION_OUTPUT,
  ID_INPUT,
  inputSchema,
  outputSchema,
  STATUS_OUTPUT,
  TIME_OUTPUT,
  type Tool,
} from "../tool.ts";
import { isoTime, standingFields } from "../wire.ts";

export const elicitStatus: Tool = {
  listed: {
    name: "elicit_status",
    title: "See how an approval stands",
    description:
      "Returns the status of one approval at once, without waiting and without consuming it. Use it to look in between; to wait for the person use elicit_await, which answers the moment they decide. " +
      "`pending` means undecided, not refused. With a `decision`, call elicit_result for the payload, the answers and who decided. Never act on a status alone.",
    inputSchema: inputSchema({ elicitationId: ID_INPUT }, ["elicitationId"]),
    outputSchema: outputSchema(
      {
        elicitationId: { type: "string" },
        status: STATUS_OUTPUT,
        decision: DECISION_OUTPUT,
        expiresAt: TIME_OUTPUT,
        decidedAt: TIME_OUTPUT,
      },
      ["status", "expiresAt"],
    ),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },

  async call(args, call) {
    const standing = await call.approvals.status(args["elicitationId"]);
    return {
      ...standingFields(standing),
      expiresAt: isoTime(standing.expiresAt),
      decidedAt: standing.decidedAt === undefined ? undefined : isoTime(standing.decidedAt),
    };
  },
};
