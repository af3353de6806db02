/** `countersign reviewer`: the people who may decide. */
import { defineCommand } from "citty";
import type { Reviewer } from "../engine/engine.ts";
import { command } from "./command.ts";
import { operate } from "./operate.ts";
import { hint, printJson, printWords, printable, table, time } from "./output.ts";
import { readNewPassword } from "./secret_input.ts";

const add = command({
  name: "add",
  description: "Enrol a reviewer with a password",
  args: {
    name: { type: "positional", description: "The name they sign in with" },
    "password-stdin": { type: "boolean", description: "Read the password from stdin instead of asking" },
  },
  async run(args, flags) {
    const name = String(args["name"]);
    const password = await readNewPassword(args["password-stdin"] === true);
    const reviewer = await operate(flags, "make", ({ operating }) => operating.addReviewer({ name, password }));
    if (args["json"]) return printJson(shown(reviewer));
    printWords(`${printable(reviewer.name)} can decide now.`);
    hint("Every reviewer sees for 7 days that this account enrolled them on the command line.");
  },
});

const list = command({
  name: "list",
  description: "List the reviewers",
  async run(args, flags) {
    const reviewers = await operate(flags, "require", ({ operating }) => operating.listReviewers());
    if (args["json"]) return printJson({ reviewers: reviewers.map(shown) });
    if (reviewers.length === 0)
      return hint("Nobody is enrolled. Run “countersign setup” or “countersign reviewer add NAME”.");
    const rows = reviewers.map((reviewer) => [
      reviewer.name,
      time(reviewer.enrolledAt),
      way(reviewer),
      proofs(reviewer),
      reviewer.disabledAt === null ? "active" : `disabled ${time(reviewer.disabledAt)}`,
    ]);
    printWords(...table(["NAME", "ENROLLED", "BY", "PROOFS", "STATE"], rows));
  },
});

const disable = command({
  name: "disable",
  description: "Take a reviewer's right to decide away and end their sessions",
  args: { name: { type: "positional", description: "The reviewer's name" } },
  async run(args, flags) {
    const reviewer = await operate(flags, "require", ({ operating }) =>
      operating.disableReviewer(String(args["name"])),
    );
    if (args["json"]) return printJson(shown(reviewer));
    printWords(`${printable(reviewer.name)} cannot decide any more; their sessions have ended.`);
  },
});

export const reviewer = defineCommand({
  meta: { name: "reviewer", description: "The people who may decide: add, list, disable" },
  subCommands: { add, list, disable },
});

function shown(reviewer: Reviewer): object {
  const { id, name, enrolledAt, enrolledWay, enrolledBy, disabledAt, hasPassword, passkeys } = reviewer;
  return {
    id,
    name,
    enrolledAt: new Date(enrolledAt).toISOString(),
    enrolledWay,
    enrolledBy,
    disabledAt: disabledAt === null ? null : new Date(disabledAt).toISOString(),
    hasPassword,
    passkeys,
  };
}

function way({ enrolledWay, enrolledBy }: Reviewer): string {
  return enrolledBy === null ? enrolledWay : `${enrolledWay} (${enrolledBy})`;
}

function proofs({ hasPassword, passkeys }: Reviewer): string {
  const kinds = [
    ...(hasPassword ? ["password"] : []),
    ...(passkeys > 0 ? [`${passkeys} passkey${passkeys === 1 ? "" : "s"}`] : []),
  ];
  return kinds.join(", ") || "none";
}
