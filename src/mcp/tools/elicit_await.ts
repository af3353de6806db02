/** Waits for the decision, for as long as one call may last; then says how it stands. */
import { DECISION_OUTPUT, ID_INPUT, inputSchema, outputSchema, STATUS_OUTPUT, type Tool } from "../tool.ts";
import { standingFields } from "../wire.ts";

/** How often a waiting client hears that the call is alive. Hosts give up on silence after 60 s and more. */
export const HEARTBEAT_MS = 10_000;

/** @param maxSeconds The longest wait that the operator allows one call. */
export function awaitInput(maxSeconds: number): Tool["listed"]["inputSchema"] {
  const waitSeconds = {
    type: "number",
    description: `How long this call may wait; default ${Math.min(45, maxSeconds)}, clamped to 0 to ${maxSeconds}.`,
  };
  return inputSchema({ elicitationId: ID_INPUT, waitSeconds }, ["elicitationId"]);
}

export const elicitAwait: Tool = {
  listed: {
    name: "elicit_await",
    title: "Wait for the decision",
    description:
      "Waits until the person decides, the approval is canceled or expires, or its window closes (45 seconds unless you say otherwise). " +
      "`pending` means nobody has decided yet and is not a refusal: call elicit_await again with the same id, as often as needed, also after a restart. " +
      "Once `decision` is there, call elicit_result. Never treat `pending`, `expired` or `canceled` as approval.",
    inputSchema: awaitInput(55),
    outputSchema: outputSchema(
      {
        elicitationId: { type: "string" },
        status: STATUS_OUTPUT,
        decision: DECISION_OUTPUT,
        waitedSeconds: { type: "number" },
        next: { type: "string", description: "What to do while it is pending." },
      },
      ["status", "waitedSeconds"],
    ),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  },

  async call(args, call) {
    call.progress(0, "Waiting for a reviewer to decide.");
    let beats = 0;
    const stop = call.every(HEARTBEAT_MS, () => {
      beats += 1;
      const seconds = (beats * HEARTBEAT_MS) / 1_000;
      call.progress(seconds, `Still waiting for a reviewer, ${seconds} s so far.`);
    });
    try {
      const waited = await call.approvals.wait(args["elicitationId"], {
        waitSeconds: args["waitSeconds"],
        signal: call.signal(),
      });
      return {
        ...standingFields(waited),
        waitedSeconds: waited.waitedMs / 1_000,
        next:
          waited.status === "pending"
            ? "Nobody has decided yet; that is not a refusal. Call elicit_await again with the same elicitationId."
            : undefined,
      };
    } finally {
      stop();
    }
  },
};
