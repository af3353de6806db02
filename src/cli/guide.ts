/** `countersign` alone: on a terminal it starts the server and walks through the first reviewer and the first agent. */
import {
  cancel,
  intro,
  isCancel,
  log as say,
  note,
  outro,
  password as ask,
  select,
  spinner,
  text,
} from "@clack/prompts";
import { ApprovalError } from "../approval/errors.ts";
import type { Flags } from "../config/given.ts";
import { command } from "./command.ts";
import { newLog } from "./log.ts";
import { printable } from "./output.ts";
import { HOSTS, pasteFor } from "./paste.ts";
import type { Host } from "./paste.ts";
import { runServe } from "./serve.ts";
import { startServer } from "./server.ts";
import type { RunningServer } from "./server.ts";
import { loadConfig, osUser } from "./settings.ts";
import { untilStopped } from "./signals.ts";

export const guide = command({
  name: "countersign",
  description: "Start the server and set up the first reviewer and the first agent (see --help for the commands)",
  options: "server",
  run: (args, flags) =>
    process.stdin.isTTY && process.stdout.isTTY && !args["json"] ? runGuide(flags) : runServe(flags),
});

/** The person pressed Ctrl-C in a question: they want out, not the next question. */
class GivenUp extends Error {}

async function runGuide(flags: Flags): Promise<void> {
  const config = loadConfig(flags);
  const stopped = untilStopped();
  intro("Countersign: the model proposes, a person countersigns");
  // Between the questions only what needs attention.
  const log = newLog({
    level: config.logLevel === "info" ? "warn" : config.logLevel,
    people: true,
    now: Date.now,
    print: (line) => process.stderr.write(line),
  });
  await using server = await startServer(config, log);
  say.success(`The server runs at ${server.url}`);
  try {
    await firstReviewer(server, stopped);
    await firstAgent(server);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return cancel("Ended. What was set up so far is kept.");
  }
  outro(`Approvals wait at ${server.url}; agents connect to ${server.mcp}. Ctrl-C ends the server.`);
  await stopped;
}

async function firstReviewer(server: RunningServer, stopped: Promise<string>): Promise<void> {
  if (!(await server.engine.reviewing.setupOpen())) return;
  const way = answered(
    await select({
      message: "Nobody can decide yet. How do you want to enrol, as the first reviewer?",
      options: [
        { value: "link", label: "In the browser", hint: "with a passkey or a password" },
        { value: "password", label: "Here, with a password" },
      ],
    }),
  );
  if (way === "link") return enrolByLink(server, stopped);
  await insist(async () => {
    const name = answered(await text({ message: "Your name, as you sign in with it" }));
    const first = answered(await ask({ message: "Password (at least 8 characters)" }));
    const second = answered(await ask({ message: "The same password again" }));
    if (first !== second) throw new ApprovalError("invalid_request", "The two passwords are not the same.");
    const reviewer = await server.engine.operating(osUser()).addReviewer({ name, password: first });
    say.success(`${printable(reviewer.name)} can decide now.`);
  });
}

/** Prints the link and waits until somebody is enrolled, with a new link when the old one has run out. */
async function enrolByLink({ engine, url }: RunningServer, stopped: Promise<string>): Promise<void> {
  let ended = false;
  void stopped.then(() => (ended = true));
  for (;;) {
    const { code, expiresAt } = await engine.operating(osUser()).newSetupCode();
    say.step(`Open this link yourself, within 10 minutes:\n${url}/setup#code=${code}`);
    const waiting = spinner();
    waiting.start("Waiting for you in the browser");
    while (Date.now() < expiresAt && !ended) {
      if (!(await engine.reviewing.setupOpen())) return waiting.stop("You can decide now.");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    waiting.stop(ended ? "Ended." : "The link has run out. Here is a new one.");
    if (ended) throw new GivenUp();
  }
}

async function firstAgent(server: RunningServer): Promise<void> {
  const operating = server.engine.operating(osUser());
  const agents = await operating.listAgents();
  if (agents.some((agent) => agent.revokedAt === null)) return;
  const host = answered(
    await select<Host | "later">({
      message: "Which program shall ask for approvals first?",
      options: [
        { value: "claude-code", label: "Claude Code" },
        { value: "codex", label: "Codex" },
        { value: "cursor", label: "Cursor" },
        { value: "vscode", label: "VS Code" },
        { value: "json", label: "Another MCP host" },
        { value: "later", label: "None now", hint: `later: countersign agent add NAME --for ${HOSTS.join("|")}` },
      ],
    }),
  );
  if (host === "later") return;
  await insist(async () => {
    const name = answered(
      await text({
        message: "A name for this agent, as reviewers will see it",
        initialValue: host === "json" ? "agent" : host,
      }),
    );
    const owner = (await operating.listReviewers()).find((reviewer) => reviewer.disabledAt === null)?.name;
    const { token } = await operating.addAgent({ name, owner });
    const { lines, where } = pasteFor(host, server.mcp, token);
    note(where, "Paste this; the token is not shown again");
    // Without the note's frame, whose border would be copied along.
    process.stdout.write(`\n${lines}\n\n`);
  });
}

/** Asks again for as long as the answer is refused. */
async function insist(step: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ApprovalError)) throw error;
      say.warn(error.message);
    }
  }
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new GivenUp();
  return answer as Exclude<T, symbol>;
}
