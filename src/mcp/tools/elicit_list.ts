/** Lists the requester's own approvals: the way back after a lost id. */
import { DECISION_OUTPUT, inputSchema, outputSchema, STATUS_OUTPUT, TIME_OUTPUT, type Tool } from "../tool.ts";
import { isoTime, reviewUrl, standingFields } from "../wire.ts";

export const elicitList: Tool = {
  listed: {
    name: "elicit_list",
    title: "List your approvals",
    description:
      "Lists the approvals you asked for, newest first. Use it to find an elicitationId again after a restart or a lost answer, before asking the same thing twice; filter by `status` or by the `idempotencyKey` you used. " +
      "Pass `nextCursor` back as `cursor` for older ones. Next, call elicit_await for a pending one and elicit_result for a decided one. It shows only your own, and changes nothing.",
    inputSchema: inputSchema({
      status: { ...STATUS_OUTPUT, description: "Only those that stand so." },
      limit: { type: "number", description: "How many; default 20, clamped to 1 to 100." },
      cursor: { type: "string", description: "The nextCursor of the page before." },
      idempotencyKey: { type: "string", description: "Only the one that was created with this key." },
    }),
    outputSchema: outputSchema(
      {
        elicitations: {
          type: "array",
          items: {
            type: "object",
            properties: {
              elicitationId: { type: "string" },
              status: STATUS_OUTPUT,
              decision: DECISION_OUTPUT,
              message: { type: "string" },
              reviewUrl: { type: "string" },
              createdAt: TIME_OUTPUT,
              expiresAt: TIME_OUTPUT,
              idempotencyKey: { type: "string" },
            },
          },
        },
        nextCursor: { type: "string" },
      },
      ["elicitations"],
    ),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },

  async call(args, call) {
    const page = await call.approvals.list({
      status: args["status"],
      limit: args["limit"],
      cursor: args["cursor"],
      idempotencyKey: args["idempotencyKey"],
    });
    return {
      elicitations: page.items.map((item) => {
        const { elicitationId, status, decision } = standingFields(item);
        return {
          elicitationId,
          status,
          ...(decision === undefined ? {} : { decision }),
          message: item.message,
          reviewUrl: reviewUrl(call.publicUrl, item.id),
          createdAt: isoTime(item.createdAt),
          expiresAt: isoTime(item.expiresAt),
          ...(item.idempotencyKey === null ? {} : { idempotencyKey: item.idempotencyKey }),
        };
      }),
      nextCursor: page.nextCursor,
    };
  },
};
