/** How a command ends badly: 2 for a wrong command line or configuration, 1 for a refusal or a failure. */
import { ApprovalError } from "../approval/errors.ts";
import { ConfigError } from "../config.ts";
import { DatabaseUnavailable } from "../store/database.ts";
import { NewerSchema } from "../store/migrate.ts";
import { printable, safeJson } from "./output.ts";

/** A wrong command line, or a machine that is not as the command needs it. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly problems: readonly string[];

  constructor(...problems: string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export interface Failure {
  readonly exitCode: 1 | 2;
  readonly code: string;
  /** Whole sentences for the operator. */
  readonly problems: readonly string[];
}

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError || error instanceof ConfigError)
    return { exitCode: 2, code: "invalid_request", problems: error.problems };
  if (error instanceof ApprovalError) return { exitCode: 1, code: error.code, problems: [error.message] };
  if (error instanceof DatabaseUnavailable) return { exitCode: 1, code: "unavailable", problems: [error.message] };
  if (error instanceof NewerSchema) return { exitCode: 1, code: "unavailable", problems: [error.message] };
  return {
    exitCode: 1,
    code: "internal",
    problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  };
}

/** Writes the failure on stderr: sentences, or with `--json` one line `{"error":{…}}`. */
export function tellFailure(error: unknown, json: boolean): void {
  const { exitCode, code, problems } = failureOf(error);
  const text = json
    ? safeJson({ error: { code, message: problems.join(" "), problems } })
    : problems.map((problem) => `countersign: ${problem.split("\n").map(printable).join("\n")}`).join("\n");
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}
