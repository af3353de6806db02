/** The server's log on stderr: JSON lines for programs, short sentences where a person watches a terminal. */
import { LOG_LEVELS } from "../config.ts";
import type { LogLevel } from "../config.ts";

export type Fields = Readonly<Record<string, string | number | boolean | null | readonly string[] | undefined>>;

export interface Log {
  /** @param event A fixed name, such as `reviewer_missing`. @param fields Never a secret and never a payload. */
  write(level: Exclude<LogLevel, "silent">, event: string, message: string, fields?: Fields): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** True for words instead of JSON. */
  readonly people: boolean;
  now(): number;
  print(line: string): void;
}

export function newLog({ level: lowest, people, now, print }: LogOptions): Log {
  return {
    write(level, event, message, fields = {}) {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return;
      const line = people
        ? `${level === "info" ? "" : `${level}: `}${message}${level === "error" && fields["detail"] ? `\n${String(fields["detail"])}` : ""}`
        : JSON.stringify({ time: new Date(now()).toISOString(), level, event, message, ...fields });
      print(`${line}\n`);
    },
  };
}

/** An error with its causes, for the `detail` of a log line. */
export function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${detailOf(error.cause)}`;
}
