/** What the operator gave for each option, the flag before the environment, and whether its plain form is right. */
import { ENV_PREFIX, OPTIONS, envNameOf, nearestOf } from "./options.ts";
import type { ConfigOption } from "./options.ts";

/** What the configuration needs to know about the machine, handed in. */
export interface Machine {
  readonly home: string;
  /** Makes a path absolute and joins its parts. */
  resolvePath(...parts: string[]): string;
  /** Reads a secret's file as text; throws when it cannot. */
  readFile(path: string): string;
}

/** Flag names as in `options.ts`; a flag without a value is `true`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Given {
  readonly text: string;
  /** `--port` or `COUNTERSIGN_PORT`: how to name it to the operator. */
  readonly from: string;
}

/** Collects what was given for each option, the flag before the environment, and checks its plain form. */
export function gatherGiven(env: Environment, flags: Flags, machine: Machine, problems: string[]): Map<string, Given> {
  const known = OPTIONS.flatMap((option) =>
    option.secret ? [envNameOf(option), `${envNameOf(option)}_FILE`] : [envNameOf(option)],
  );
  for (const name of Object.keys(env)) {
    if (!name.startsWith(ENV_PREFIX) || env[name] === undefined || known.includes(name)) continue;
    const plain = known.find((other) => name === `${other}_FILE`);
    const nearest = nearestOf(name, known);
    const instead = plain
      ? `only secrets are read from files; use ${plain}.`
      : nearest
        ? `did you mean ${nearest}?`
        : "remove it, or check its spelling.";
    problems.push(`${name} is not a known setting: ${instead}`);
  }
  const values = new Map<string, Given>();
  for (const option of OPTIONS) {
    const given = givenFor(option, env, flags, machine, problems);
    if (given === undefined || option.scope === "client") continue;
    const problem = problemOf(option, given);
    if (problem !== undefined) problems.push(problem);
    else if (option.later)
      problems.push(`${given.from}: not_supported: this version does not have it yet. Leave it out.`);
    else
      values.set(
        option.name,
        option.kind === "flag" ? { ...given, text: String(YES.includes(given.text.toLowerCase())) } : given,
      );
  }
  return values;
}

function givenFor(
  option: ConfigOption,
  env: Environment,
  flags: Flags,
  machine: Machine,
  problems: string[],
): Given | undefined {
  const flag = flags[option.name];
  if (flag !== undefined) return { text: String(flag), from: `--${option.name}` };
  const name = envNameOf(option);
  const fileName = `${name}_FILE`;
  const file = option.secret ? env[fileName] : undefined;
  if (file === undefined) return env[name] === undefined ? undefined : { text: env[name], from: name };
  if (env[name] !== undefined) problems.push(`${name} and ${fileName} are both set. Keep one.`);
  try {
    return { text: machine.readFile(file).trim(), from: fileName };
  } catch (error) {
    problems.push(
      `${fileName}: the file ${file} cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown reason"}). Check the path and its mode.`,
    );
    return undefined;
  }
}

const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];

function problemOf(option: ConfigOption, { text, from }: Given): string | undefined {
  if (text === "") return `${from} is empty. Give it a value, or remove it.`;
  if (option.kind === "flag" && ![...YES, ...NO].includes(text.toLowerCase()))
    return `${from}: “${text}” is neither true nor false.`;
  if (option.kind !== "integer" || option.range === undefined) return undefined;
  const [low, high] = option.range;
  if (/^\d{1,12}$/.test(text) && Number(text) >= low && Number(text) <= high) return undefined;
  return `${from}: “${text}” is not a whole number from ${low} to ${high}.`;
}
