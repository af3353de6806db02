/** `countersign cancel ID`: withdraws a pending approval in the operator's name. */
import { command } from "./command.ts";
import { operate } from "./operate.ts";
import { hint, printJson, printWords } from "./output.ts";
import { statusWords, summaryOf } from "./shown.ts";

export const cancel = command({
  name: "cancel",
  description: "Cancel a pending approval; exits 1 when it is closed already",
  args: {
    id: { type: "positional", description: "The approval's id" },
    reason: {
      type: "string",
      valueHint: "TEXT",
      description: "Why, for the agent and the trail (up to 500 characters)",
    },
  },
  async run(args, flags) {
    const reason = args["reason"] === undefined ? undefined : String(args["reason"]);
    const { kind, approval } = await operate(flags, "require", ({ operating }) =>
      operating.cancel(String(args["id"]), reason),
    );
    if (args["json"]) printJson({ outcome: kind, ...summaryOf(approval) });
    else if (kind === "canceled") printWords(`${approval.id} is canceled.`);
    else hint(`${approval.id} was not canceled: it is ${statusWords(approval)}. Nothing was changed.`);
    if (kind !== "canceled") process.exitCode = 1;
  },
});
