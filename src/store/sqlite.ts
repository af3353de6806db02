/**
 * SQLite by `node:sqlite`: the embedded database.
 *
 * Two connections to a file. The first writes, one transaction after the other (see `sqlite_transaction.ts`). The second is read-only and
 * serves every query outside a transaction: it sees committed rows only, and it answers while a write waits for its
 * turn, for another process's lock or for space on the disk. `:memory:` is one connection, so there everything queues.
 */
import { setImmediate } from "node:timers/promises";
import { type Database, DatabaseUnavailable, type Queryable, type SqlValue } from "./database.ts";
import { refuseInside } from "./inside.ts";
import { type Connection, connectReader, connectWriter } from "./sqlite_connection.ts";
import { attempt, BUSY_MS, ignoring, patiently } from "./sqlite_errors.ts";
import { prepareFile, rememberFile, restrictFile } from "./sqlite_file.ts";
import { newGroups, runAlone } from "./sqlite_transaction.ts";

/**
 * Opens, and where need be creates, the database at `path` (or `:memory:`). A new folder gets mode 0700, the file and
 * its two companions 0600.
 *
 * @param busyMs how long a write waits for another process's lock.
 * @throws DatabaseUnavailable when the file cannot be opened or written, or stays locked for that long.
 * @throws Error when the file is no SQLite database or lies on a network file system.
 */
export async function openSqlite(path: string, busyMs = BUSY_MS): Promise<Database> {
  const inMemory = path === ":memory:";
  if (!inMemory) prepareFile(path);
  const writer = await patiently(() => connectWriter(path, inMemory), busyMs);
  if (inMemory) return newDatabase(writer, undefined, busyMs, () => undefined);
  try {
    restrictFile(path);
    const reader = await patiently(() => connectReader(path), busyMs);
    return newDatabase(writer, reader, busyMs, rememberFile(path));
  } catch (error) {
    writer.close();
    throw error;
  }
}

function newDatabase(
  writer: Connection,
  reader: Connection | undefined,
  busyMs: number,
  checkFile: () => void,
): Database {
  const enqueue = newQueue();
  const together = newGroups(writer, busyMs, enqueue);
  let closing: Promise<void> | undefined;

  function refuseClosed(): void {
    if (closing !== undefined) throw new DatabaseUnavailable("The database has been closed.");
  }

  const database: Database = {
    dialect: "sqlite",
    clockOffsetMs: () => 0,

    async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
      refuseInside();
      refuseClosed();
      if (!reads(sql)) return database.transaction((tx) => tx.query<Row>(sql, params));
      if (reader === undefined) return enqueue(async () => attempt(() => writer.run<Row>(sql, params)));
      return attempt(() => reader.run<Row>(sql, params));
    },

    async transaction<T>(body: (tx: Queryable) => Promise<T>): Promise<T> {
      refuseInside();
      refuseClosed();
      checkFile();
      // In memory there is no fsync to share, and readers use the same connection.
      return reader === undefined ? enqueue(() => runAlone(writer, body, busyMs)) : together(body);
    },

    [Symbol.asyncDispose]() {
      closing ??= enqueue(async () => {
        reader?.close();
        // Best effort: what is left in the WAL is read at the next start.
        if (reader !== undefined) ignoring(() => writer.raw.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
        writer.close();
      });
      return closing;
    },
  };
  return database;
}

/** One job after the other. Between two that wait, the event loop has a turn: each job blocks it for a disk's fsync. */
function newQueue(): <T>(job: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return function enqueue<T>(job: () => Promise<T>): Promise<T> {
    waiting += 1;
    const done = tail.then(job);
    tail = done.then(settled, settled);
    return done;
  };
  function settled(): Promise<void> | undefined {
    waiting -= 1;
    return waiting > 0 ? setImmediate() : undefined;
  }
}

/** Read statements, by their first word. A wrong guess does no harm: the reader cannot write, and says so. */
function reads(sql: string): boolean {
  if (/^\s*(SELECT|VALUES|EXPLAIN|PRAGMA)\b/i.test(sql)) return true;
  return /^\s*WITH\b/i.test(sql) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(sql);
}
