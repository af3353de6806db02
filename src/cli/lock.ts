/**
 * One server process a data folder: the lock.
 *
 * It is a lock of the operating system, held through an empty SQLite file in an exclusive transaction. The kernel
 * lets go of it when the process ends in whatever way, so a crash leaves nothing behind to clean up, and no process
 * number can be mistaken for a later process.
 */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

export interface Lock extends Disposable {
  readonly path: string;
}

/** Takes the lock, waiting up to `waitMs` for it. @returns undefined when another process holds it. */
export function takeLock(dataDir: string, waitMs: number): Lock | undefined {
  const path = join(dataDir, "server.lock");
  closeSync(openSync(path, "a", 0o600));
  const file = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Nothing is ever written, so there is nothing to roll back: no journal file beside it.
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if (error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY)
      return undefined;
    throw error;
  }
  return { path, [Symbol.dispose]: () => file.close() };
}

/** True while a server holds the lock of this folder. */
export function isLocked(dataDir: string): boolean {
  const lock = takeLock(dataDir, 0);
  lock?.[Symbol.dispose]();
  return lock === undefined;
}
