/** `countersign show ID`: one approval with its payload, its decisions and its trail. */
import { command } from "./command.ts";
import { operate } from "./operate.ts";
import { printJson, printWords, printable, time } from "./output.ts";
import { statusWords, summaryOf } from "./shown.ts";

export const show = command({
  name: "show",
  description: "Show one approval: request, decisions and trail",
  args: { id: { type: "positional", description: "The approval's id" } },
  async run(args, flags) {
    const { approval, decisions, closedBy, events } = await operate(flags, "require", ({ operating }) =>
      operating.show(String(args["id"])),
    );
    if (args["json"]) {
      return printJson({
        ...summaryOf(approval),
        // As text: parsing it here could change a number that the reviewer saw.
        contextText: approval.contextText,
        requestedSchemaText: approval.schemaText,
        labels: approval.labels,
        contextDigest: approval.contextDigest,
        requestDigest: approval.requestDigest,
        decisions: decisions.map((decision) => ({ ...decision, at: new Date(decision.at).toISOString() })),
        closedBy,
        events: events.map((event) => ({ ...event, at: new Date(event.at).toISOString() })),
      });
    }
    const { requester } = approval;
    printWords(
      printable(approval.message),
      "",
      `id        ${approval.id}`,
      `status    ${statusWords(approval)}`,
      `asked by  ${printable(requester.agent.name)}${requester.owner === null ? "" : ` (for ${printable(requester.owner.name)})`}`,
      `created   ${time(approval.createdAt)}`,
      `expires   ${time(approval.expiresAt)}`,
      ...("closedAt" in approval
        ? [`closed    ${time(approval.closedAt)}${closedBy === null ? "" : ` by ${printable(closedBy.name)}`}`]
        : []),
      `request   ${approval.requestDigest}`,
      ...(approval.contextText === null ? [] : ["", ...approval.contextText.split("\n").map(printable)]),
      "",
      ...events.map((event) => `${time(event.at)}  ${event.type}  ${printable(event.actor)}`),
    );
  },
});
