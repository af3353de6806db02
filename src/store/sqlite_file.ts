/** The file under an SQLite database: who may read it, and whether its file system can hold it. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseUnavailable } from "./database.ts";
import { ignoring } from "./sqlite_errors.ts";

/** statfs(2) magic numbers of file systems on which SQLite's locks and shared memory do not hold (sqlite.org/wal.html). */
const NETWORK = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
]);

/** @param type as `statfs` gives it. @returns the name of the network file system, or undefined for a local one. */
export function networkFileSystem(type: number): string | undefined {
  return NETWORK.get(type >>> 0);
}

/**
 * Makes the folder (0700) and the empty file (0600) where they are missing.
 *
 * @throws Error on a network file system. @throws DatabaseUnavailable when it may not be made.
 */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseUnavailable(`The folder ${folder} cannot be made.`, { cause: error });
  }
  const network = networkFileSystem(statfsSync(folder).type);
  if (network !== undefined) {
    throw new Error(
      `${folder} is on ${network}: SQLite loses data there. Choose a folder on a local disk, or a PostgreSQL database.`,
    );
  }
  if (existsSync(path)) return;
  try {
    // Made here, not by SQLite, so that there is no moment with a wider mode; the companions copy it.
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw new DatabaseUnavailable(`The file ${path} cannot be made.`, { cause: error });
  }
}

/**
 * Remembers which file lies at `path`. A file that was deleted or replaced stays open and takes every write, and all of
 * it is gone with the process: such a database must not be written on.
 *
 * @returns a check that throws DatabaseUnavailable when another file, or none, lies there now.
 */
export function rememberFile(path: string): () => void {
  const opened = statSync(path, { bigint: true });
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw new DatabaseUnavailable(
      `The database file ${path} was deleted or replaced while it is in use. Put it back, or restart the server.`,
    );
  };
}

/**
 * Takes other accounts' access away from a file that came from elsewhere, such as a restored backup. Best effort: some
 * file systems have no modes, and a file of another account keeps its own.
 */
export function restrictFile(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) continue;
    ignoring(() => chmodSync(file, 0o600));
  }
}
