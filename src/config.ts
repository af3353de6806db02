/**
 * The configuration: flags over environment over defaults. Pure, and every problem is reported at once.
 *
 * Nothing is guessed and nothing is ignored: an unknown name, an empty value, an option that has no effect here
 * and one that is not built yet are problems, because an operator who set it believes that it is in force.
 */
import { readDatabase } from "./config/database_url.ts";
import type { DatabaseChoice } from "./config/database_url.ts";
import { gatherGiven } from "./config/given.ts";
import type { Environment, Flags, Machine } from "./config/given.ts";
import { isLoopbackAddress, readHosts } from "./config/listen.ts";
import { isLoopbackName, readPublicUrl } from "./config/public_url.ts";

export interface Config {
  readonly port: number;
  /** Addresses to listen on; the default is both loopback addresses. */
  readonly hosts: readonly string[];
  /** Origin without path, for example `https://approve.example.com`; undefined means `http://localhost:PORT` of the bound port. */
  readonly publicUrl: string | undefined;
  readonly insecureHttp: boolean;
  readonly trustProxy: boolean;
  /** The data folder; holds `countersign.db`, `server.json` and the lock. */
  readonly dataDir: string;
  readonly database: DatabaseChoice;
  readonly proofWindowMs: number;
  readonly awaitMaxSeconds: number;
  readonly expiresMinSeconds: number;
  readonly expiresMaxSeconds: number;
  readonly expiresDefaultSeconds: number;
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** What the operator should know although it is allowed; whole sentences. */
  readonly warnings: readonly string[];
}

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every problem of a configuration, one sentence each. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** @throws ConfigError with every problem found. */
export function readConfig(env: Environment, flags: Flags, machine: Machine): Config {
  const problems: string[] = [];
  const warnings: string[] = [];
  const values = gatherGiven(env, flags, machine, problems);
  const nameOf = (name: string) => values.get(name)?.from ?? `--${name}`;

  const text = (name: string) => values.get(name)?.text;
  const flag = (name: string) => text(name) === "true";
  const integer = (name: string, fallback: number) => (text(name) === undefined ? fallback : Number(text(name)));
  const list = (name: string) => (text(name) ?? "").split(",").flatMap((item) => item.trim() || []);

  const insecureHttp = flag("insecure-http");
  let publicUrl: string | undefined;
  let local = true;
  const given = text("public-url");
  if (given !== undefined) {
    const read = readPublicUrl(given, insecureHttp, nameOf("public-url"));
    if (read.ok) {
      publicUrl = read.origin;
      local = isLoopbackName(new URL(publicUrl).hostname);
      warnings.push(...read.warnings);
    } else problems.push(read.problem);
  } else if (insecureHttp) {
    problems.push(
      `${nameOf("insecure-http")}: it has no effect without a public URL. Give --public-url http://HOST, or leave it out.`,
    );
  }

  const listening = readHosts(list("host"), local || list("host").length === 0, nameOf("host"));
  if (!listening.ok) problems.push(listening.problem);
  const hosts = listening.ok ? listening.hosts : [];
  const beyond = hosts.filter((host) => !isLoopbackAddress(host));
  if (beyond.length > 0 && given === undefined) {
    warnings.push(
      `Listening on ${beyond.join(", ")} without a public URL: links will say http://localhost:PORT and other machines will be refused. Set --public-url to the address that reviewers open.`,
    );
  }

  const dataDir = machine.resolvePath(text("data") ?? machine.resolvePath(machine.home, ".countersign"));
  const database = readDatabase(text("database"), dataDir, machine.resolvePath, nameOf("database"));
  if ("problem" in database) problems.push(database.problem);

  const expiresMinSeconds = integer("expires-min-seconds", 60);
  const expiresMaxSeconds = integer("expires-max-seconds", Math.max(604_800, expiresMinSeconds));
  if (expiresMinSeconds > expiresMaxSeconds)
    problems.push(
      `${nameOf("expires-min-seconds")} (${expiresMinSeconds}) is above ${nameOf("expires-max-seconds")} (${expiresMaxSeconds}). Lower it or raise the other.`,
    );
  const clamped = Math.min(Math.max(3600, expiresMinSeconds), expiresMaxSeconds);
  const expiresDefaultSeconds = integer("expires-default-seconds", clamped);
  if (
    expiresMinSeconds <= expiresMaxSeconds &&
    (expiresDefaultSeconds < expiresMinSeconds || expiresDefaultSeconds > expiresMaxSeconds)
  ) {
    problems.push(
      `${nameOf("expires-default-seconds")} (${expiresDefaultSeconds}) must lie between ${expiresMinSeconds} and ${expiresMaxSeconds}.`,
    );
  }

  const allowedOrigins = list("allowed-origins");
  for (const origin of allowedOrigins) {
    if (!isWebOrigin(origin))
      problems.push(
        `${nameOf("allowed-origins")}: “${origin}” is not a web origin. Write scheme, host and port only, such as https://app.example.com.`,
      );
  }
  const logLevel = LOG_LEVELS.find((level) => level === (text("log-level") ?? "info"));
  if (logLevel === undefined) problems.push(`${nameOf("log-level")}: choose one of ${LOG_LEVELS.join(", ")}.`);

  if (problems.length > 0 || logLevel === undefined || "problem" in database) throw new ConfigError(problems);
  return {
    port: integer("port", 4747),
    hosts,
    publicUrl,
    insecureHttp,
    trustProxy: flag("trust-proxy"),
    dataDir,
    database,
    proofWindowMs: integer("proof-window-seconds", 300) * 1000,
    awaitMaxSeconds: integer("await-max-seconds", 55),
    expiresMinSeconds,
    expiresMaxSeconds,
    expiresDefaultSeconds,
    allowedOrigins,
    logLevel,
    warnings,
  };
}

function isWebOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}
