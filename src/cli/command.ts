/** What every command has in common: where the data is, `--json`, and a command line read strictly. */
import { parseArgs } from "node:util";
import { defineCommand } from "citty";
import type { ArgsDef, CommandDef } from "citty";
import { OPTIONS, nearestOf } from "../config/options.ts";
import type { ConfigOption } from "../config/options.ts";
import type { Flags } from "../config/given.ts";

export interface Arguments {
  /** Flags and positionals of this command by name; a positional that was left out is undefined. */
  readonly [name: string]: string | boolean | undefined;
}

export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** Arguments of this command alone, in citty's terms. */
  readonly args?: ArgsDef;
  /** Which configuration it takes besides `--data` and `--database`: all of the server's, or some names. */
  readonly options?: "server" | readonly string[];
  run(args: Arguments, flags: Flags): Promise<void>;
}

export function command({ name, description, args = {}, options = [], run }: CommandSpec): CommandDef {
  const taken = OPTIONS.filter(
    (option) =>
      option.scope === "data" || (option.scope === "server" && (options === "server" || options.includes(option.name))),
  );
  const known: ArgsDef = {
    ...args,
    ...Object.fromEntries(taken.filter((option) => !option.later).map((option) => [option.name, argumentOf(option)])),
    json: { type: "boolean", description: "Print JSON for programs" },
  };
  return defineCommand({
    meta: { name, description },
    args: known,
    async run({ args: parsed }) {
      const given = parsed as Record<string, string | boolean | undefined>;
      const flags = Object.fromEntries(
        taken.flatMap((option) => (given[option.name] === undefined ? [] : [[option.name, given[option.name]]])),
      );
      await run(Object.fromEntries(Object.keys(known).map((key) => [key, given[key]])), flags);
    },
  });
}

function argumentOf(option: ConfigOption): ArgsDef[string] {
  if (option.kind === "flag") return { type: "boolean", description: option.description };
  return {
    type: "string",
    description: option.description,
    ...(option.hint === undefined ? {} : { valueHint: option.hint }),
  };
}

/** Everything that is wrong with a command line, one sentence each. citty itself lets unknown flags through. */
export function problemsOfLine(rawArgs: readonly string[], known: ArgsDef): string[] {
  const problems: string[] = [];
  const flags = Object.entries(known).filter(([, arg]) => arg.type !== "positional");
  const later = OPTIONS.filter((option) => option.later && option.scope === "server").map((option) => option.name);
  const options = Object.fromEntries(
    flags.map(([name, arg]) => [name, { type: arg.type === "boolean" ? ("boolean" as const) : ("string" as const) }]),
  );
  const { tokens, positionals } = parseArgs({
    args: [...rawArgs],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = options[token.name];
    if (option === undefined) {
      problems.push(
        later.includes(token.name)
          ? `--${token.name}: not_supported: this version does not have it yet. Leave it out.`
          : unknownFlag(token.rawName, Object.keys(options)),
      );
    } else if (
      option.type === "string" &&
      (token.value === undefined || token.value === "" || (!token.inlineValue && token.value.startsWith("--")))
    ) {
      problems.push(`--${token.name} needs a value.`);
    } else if (option.type === "boolean" && token.value !== undefined && !["true", "false"].includes(token.value)) {
      problems.push(`--${token.name} takes no value.`);
    }
    if (seen.has(token.name)) problems.push(`--${token.name} is given twice. Keep one.`);
    seen.add(token.name);
  }
  const places = Object.entries(known).filter(([, arg]) => arg.type === "positional");
  for (const [name, arg] of places.slice(positionals.length))
    if (arg.required !== false) problems.push(`${name.toUpperCase()} is missing.`);
  for (const extra of positionals.slice(places.length)) problems.push(`“${extra}” is one argument too many.`);
  return problems;
}

function unknownFlag(rawName: string, known: readonly string[]): string {
  const nearest = nearestOf(rawName.replace(/^-+/, ""), [...known, "help"]);
  return `${rawName} is not a flag of this command: ${nearest === undefined ? "see --help." : `did you mean --${nearest}?`}`;
}
