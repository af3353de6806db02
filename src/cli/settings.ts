/** The configuration as this machine gives it: the only place that reads the environment. */
import { readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { resolve } from "node:path";
import { readConfig } from "../config.ts";
import type { Config } from "../config.ts";
import type { Flags } from "../config/given.ts";

/** @throws ConfigError with every problem found. */
export function loadConfig(flags: Flags): Config {
  return readConfig(process.env, flags, {
    home: homedir(),
    resolvePath: resolve,
    readFile: (path) => readFileSync(path, "utf8"),
  });
}

/** Who is recorded for what an operator's command does. An account without an entry in the user database is its number. */
export function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
