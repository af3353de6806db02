/** `countersign list`: the approvals of the whole workspace, newest first. */
import { command } from "./command.ts";
import { UsageError } from "./failure.ts";
import { operate } from "./operate.ts";
import { hint, printJson, printWords, table, time } from "./output.ts";
import { statusWords, summaryOf } from "./shown.ts";

const STATUSES = ["pending", "submitted", "declined", "canceled", "expired", "consumed"];

export const list = command({
  name: "list",
  description: "List approvals, newest first",
  args: {
    status: { type: "string", valueHint: "STATUS", description: STATUSES.join(", ") },
    limit: { type: "string", valueHint: "N", description: "How many, 1 to 100 (default: 20)" },
    cursor: { type: "string", valueHint: "CURSOR", description: "Where the last list ended" },
  },
  async run(args, flags) {
    const text = (name: string): string | undefined => (args[name] === undefined ? undefined : String(args[name]));
    const [status, limit, cursor] = [text("status"), text("limit"), text("cursor")];
    if (status !== undefined && !STATUSES.includes(status))
      throw new UsageError(`--status: choose one of ${STATUSES.join(", ")}.`);
    if (limit !== undefined && !/^([1-9]\d?|100)$/.test(limit))
      throw new UsageError("--limit: give a whole number from 1 to 100.");
    const { items, nextCursor } = await operate(flags, "require", ({ operating }) =>
      operating.list({ status, limit: limit === undefined ? undefined : Number(limit), cursor }),
    );
    if (args["json"])
      return printJson({ elicitations: items.map(summaryOf), ...(nextCursor === undefined ? {} : { nextCursor }) });
    if (items.length === 0) return hint("There are none.");
    printWords(
      ...table(
        ["ID", "STATUS", "EXPIRES", "AGENT", "MESSAGE"],
        items.map((item) => [
          item.id,
          statusWords(item),
          time(item.expiresAt),
          item.requester.agent.name,
          item.message,
        ]),
      ),
    );
    if (nextCursor !== undefined) hint(`There are more: --cursor ${nextCursor}`);
  },
});
