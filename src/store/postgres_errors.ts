/** Errors of PostgreSQL and of the connection to it: which mean "not now". */
import { DatabaseUnavailable } from "./database.ts";

export interface ServerError extends Error {
  readonly code: string;
}

/** An error that the server sent, as against one of the connection to it. */
export function fromServer(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
}

export function isSqlState(error: unknown, ...states: readonly string[]): boolean {
  return fromServer(error) && states.includes(error.code);
}

/** Whether an error of COMMIT leaves open what became of the transaction: the answer was lost, or the server went while giving it. */
export function leavesCommitOpen(error: unknown): boolean {
  return !fromServer(error) || /^(?:57P|08)/.test(error.code);
}

/**
 * SQLSTATEs (PostgreSQL manual, appendix A) that mean "not now": connection, refused login, resources, operator
 * intervention (also the statement time-out), I/O; then a read-only server, a lock time-out, an idle transaction cut off.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58)|^(?:25006|55P03|25P03|25P04)$/;

export function translated(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (!fromServer(error)) {
    return isConnectionError(error)
      ? new DatabaseUnavailable(`The connection to the database failed: ${(error as Error).message}`, { cause: error })
      : error;
  }
  return UNAVAILABLE.test(error.code)
    ? new DatabaseUnavailable(`The database is not available: ${error.message} (SQLSTATE ${error.code})`, {
        cause: error,
      })
    : error;
}

/** The driver has no class for these: system errors carry a syscall's code, its own only words. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    "code" in error &&
    typeof error.code === "string" &&
    /^E[A-Z_]+$/.test(error.code) &&
    !error.code.startsWith("ERR_")
  )
    return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  return /connection|not queryable|timeout|The server does not support SSL/i.test(error.message);
}
