/** Errors of SQLite: which mean "not now", and how long a lock is waited for. */
import { setTimeout } from "node:timers/promises";
import { DatabaseUnavailable } from "./database.ts";

/** How long a write waits for another process's lock, unless told otherwise. */
export const BUSY_MS = 5_000;

/** Tries again, with the event loop free, for as long as another process holds the lock. */
export async function patiently<T>(step: () => T, busyMs: number): Promise<T> {
  for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(pause * 2, 25)) {
    try {
      return step();
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || waited >= busyMs) throw translated(error);
    }
    await setTimeout(pause);
  }
}

/** Runs one step of the driver and throws what it throws in our words. */
export function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw translated(error);
  }
}

/** Runs a step whose failure changes nothing. */
export function ignoring(step: () => unknown): void {
  try {
    step();
  } catch {
    // The caller has a better error to tell, or none to tell at all.
  }
}

const SQLITE_BUSY = 5;
const NOT_A_DATABASE = 26;

/** Primary result codes that mean "cannot be read or written now" (sqlite.org/rescode.html). */
const UNAVAILABLE = new Map([
  [3, "access to it was denied"],
  [SQLITE_BUSY, "another process holds its lock"],
  [6, "it is locked"],
  [8, "it cannot be written"],
  [10, "reading or writing it failed"],
  [13, "the disk is full"],
  [14, "it cannot be opened"],
]);

function translated(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === NOT_A_DATABASE) return new Error("The file is not an SQLite database.", { cause: error });
  const reason = code === undefined ? undefined : UNAVAILABLE.get(code);
  return reason === undefined
    ? error
    : new DatabaseUnavailable(`The database is not available: ${reason}.`, { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
