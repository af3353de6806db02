/** From the words of the command line to the command: help, version, strict reading, exit codes. */
import { stripVTControlCharacters } from "node:util";
import { readFileSync } from "node:fs";
import { defineCommand, renderUsage, runCommand } from "citty";
import type { CommandDef } from "citty";
import { nearestOf } from "../config/options.ts";
import { problemsOfLine } from "./command.ts";
import { UsageError, tellFailure } from "./failure.ts";

interface Entry {
  /** For the list of commands; each command describes itself in its own help. */
  readonly summary: string;
  load(): Promise<CommandDef>;
}

/** Each command is loaded when it is called: `--help` and the small ones start without the server's code. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: { summary: "Start the server", load: async () => (await import("./serve.ts")).serve },
  setup: {
    summary: "Print a one-time link for the first reviewer",
    load: async () => (await import("./setup.ts")).setup,
  },
  reviewer: {
    summary: "The people who may decide: add, list, disable",
    load: async () => (await import("./reviewer.ts")).reviewer,
  },
  agent: {
    summary: "The programs that may ask: add, list, rotate, revoke",
    load: async () => (await import("./agent.ts")).agent,
  },
  list: { summary: "List approvals, newest first", load: async () => (await import("./list.ts")).list },
  show: {
    summary: "Show one approval: request, decisions and trail",
    load: async () => (await import("./show.ts")).show,
  },
  cancel: { summary: "Cancel a pending approval", load: async () => (await import("./cancel.ts")).cancel },
  doctor: {
    summary: "Check this machine, the data and the running server",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  migrate: {
    summary: "Bring the database to the shape this version needs",
    load: async () => (await import("./migrate.ts")).migrate,
  },
};

const ROOT: CommandDef = defineCommand({
  meta: {
    name: "countersign",
    description:
      "Durable human approvals for AI agents. Alone, it starts the server and walks through the first reviewer and the first agent.",
  },
  subCommands: Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { summary }]) => [
      name,
      defineCommand({ meta: { name, description: summary } }),
    ]),
  ),
});

/** @param words Without the program's own name. Sets `process.exitCode`; never throws. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const options = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  try {
    if (options.includes("--version")) return void process.stdout.write(`${version()}\n`);
    const { found, parent, rest } = await findCommand(words);
    if (options.includes("--help") || options.includes("-h")) return void printText(await renderUsage(found, parent));
    const known = (found.args ?? {}) as Parameters<typeof problemsOfLine>[1];
    const problems = problemsOfLine(rest, known);
    if (problems.length > 0) throw new UsageError(...problems);
    await runCommand(found, { rawArgs: rest });
  } catch (error) {
    tellFailure(error, options.includes("--json"));
  }
}

interface Found {
  readonly found: CommandDef;
  readonly parent?: CommandDef;
  readonly rest: string[];
}

async function findCommand(words: readonly string[]): Promise<Found> {
  const [name, ...rest] = words;
  if (name === "--help" || name === "-h") return { found: ROOT, rest: [] };
  if (name === undefined || name.startsWith("-"))
    return { found: (await import("./guide.ts")).guide, rest: [...words] };
  const entry = own(COMMANDS, name);
  if (entry === undefined) throw new UsageError(unknownCommand(name, Object.keys(COMMANDS)));
  const found = await entry.load();
  if (found.subCommands === undefined) return { found, parent: ROOT, rest };

  const inner = found.subCommands as Record<string, CommandDef>;
  const [verb, ...more] = rest;
  if (verb === undefined || verb === "--help" || verb === "-h") {
    if (verb === undefined) throw new UsageError(`${name}: say what to do: ${Object.keys(inner).join(", ")}.`);
    return { found, parent: ROOT, rest: [] };
  }
  const leaf = own(inner, verb);
  if (leaf === undefined)
    throw new UsageError(
      unknownCommand(
        `${name} ${verb}`,
        Object.keys(inner).map((other) => `${name} ${other}`),
      ),
    );
  return { found: leaf, parent: defineCommand({ meta: { name: `countersign ${name}` } }), rest: more };
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function unknownCommand(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  return `“${name}” is not a command: ${nearest === undefined ? `choose one of ${known.join(", ")}.` : `did you mean “${nearest}”?`}`;
}

function printText(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}

export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
