/**
 * SQLite by `node:sqlite`: the embedded database.
 *
 * Two connections to a file. The first writes, one transaction at a time from a queue. The second is read-only and
 * serves every query outside a transaction: it sees committed rows only, and it answers while a write waits for its
 * turn, for another process's lock or for space on the disk. `:memory:` is one connection, so there everything queues.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Database, DatabaseUnavailable, type Queryable, type SqlValue } from "./database.ts";
import { refuseInside, runInside } from "./inside.ts";
import { checkParameters, countParameters } from "./parameters.ts";
import { prepareFile, restrictFile } from "./sqlite_file.ts";

/** How long a write waits for another process's lock. */
const BUSY_MS = 5_000;
/** Prepared statements kept for each connection; the least recently used goes first. */
const STATEMENTS_KEPT = 256;

/**
 * Opens, and where need be creates, the database at `path` (or `:memory:`). A new folder gets mode 0700, the file and
 * its two companions 0600.
 *
 * @throws DatabaseUnavailable when the file cannot be opened or written, or stays locked for 5 s.
 * @throws Error when the file is no SQLite database or lies on a network file system.
 */
export async function openSqlite(path: string): Promise<Database> {
  const inMemory = path === ":memory:";
  if (!inMemory) prepareFile(path);
  const writer = await patiently(() => connect(path, inMemory));
  if (inMemory) return newDatabase(writer, undefined);
  try {
    restrictFile(path);
    return newDatabase(writer, await patiently(() => connectReader(path)));
  } catch (error) {
    writer.close();
    throw error;
  }
}

interface Connection {
  readonly raw: DatabaseSync;
  run<Row extends object>(sql: string, params: readonly SqlValue[]): Row[];
  close(): void;
}

function connect(path: string, inMemory: boolean): Connection {
  // No time-out: the driver would wait with the event loop stopped. `patiently` waits instead.
  const raw = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    if (!inMemory) {
      const [mode] = raw.prepare("PRAGMA journal_mode = WAL").all();
      if (mode?.["journal_mode"] !== "wal") throw new DatabaseUnavailable(`The database ${path} cannot be put into WAL mode; its file system is not suitable.`);
    }
    raw.exec("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    // A first read makes the WAL's index, which a read-only connection cannot make.
    raw.prepare("SELECT count(*) FROM sqlite_schema").all();
    return newConnection(raw);
  } catch (error) {
    raw.close();
    throw error;
  }
}

function connectReader(path: string): Connection {
  // Readers meet a lock only while another process recovers the WAL: short enough to wait in place.
  const raw = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  raw.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  return newConnection(raw);
}

interface Prepared {
  readonly statement: StatementSync;
  readonly count: number;
}

function newConnection(raw: DatabaseSync): Connection {
  const kept = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    let prepared = kept.get(sql);
    if (prepared === undefined) {
      prepared = { statement: raw.prepare(sql), count: countParameters(sql) };
      if (kept.size >= STATEMENTS_KEPT) for (const oldest of kept.keys()) if (kept.delete(oldest)) break;
    } else {
      kept.delete(sql);
    }
    kept.set(sql, prepared);
    return prepared;
  }

  return {
    raw,
    run<Row extends object>(sql: string, params: readonly SqlValue[]): Row[] {
      const { statement, count } = prepare(sql);
      checkParameters(sql, count, params);
      // By name, since SQLite numbers `$2 … $1` by order of appearance.
      const named: Record<string, null | number | bigint | string | Uint8Array> = {};
      params.forEach((value, index) => (named[`$${index + 1}`] = asInteger(value)));
      return statement.all(named) as Row[];
    },
    close: () => raw.close(),
  };
}

/** The driver binds every number as a float; an integer must stay one where it meets text or a division. */
function asInteger(value: SqlValue): null | number | bigint | string | Uint8Array {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

function newDatabase(writer: Connection, reader: Connection | undefined): Database {
  const enqueue = newQueue();
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
      return enqueue(() => runTransaction(writer, body));
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

async function runTransaction<T>(writer: Connection, body: (tx: Queryable) => Promise<T>): Promise<T> {
  const { raw } = writer;
  // Only after a ROLLBACK that itself failed, for instance for want of space.
  if (raw.isTransaction) attempt(() => raw.exec("ROLLBACK"));
  await patiently(() => raw.exec("BEGIN IMMEDIATE"));

  let open = true;
  let failure: { readonly error: unknown } | undefined;
  const tx: Queryable = {
    async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
      if (!open) throw new Error("This transaction has ended: await every `tx.query` inside its body.");
      if (failure !== undefined) throw failure.error;
      try {
        return attempt(() => writer.run<Row>(sql, params));
      } catch (error) {
        // As on PostgreSQL: after a failed statement a transaction can only be rolled back.
        failure = { error };
        throw error;
      }
    },
  };
  try {
    const result = await runInside(() => body(tx));
    if (failure !== undefined) throw failure.error;
    attempt(() => raw.exec("COMMIT"));
    return result;
  } catch (error) {
    if (raw.isTransaction) ignoring(() => raw.exec("ROLLBACK"));
    throw error;
  } finally {
    open = false;
  }
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

/** Read statements, by their first word. A wrong guess does no harm: the reader cannot write. */
function reads(sql: string): boolean {
  if (/^\s*(SELECT|VALUES|EXPLAIN|PRAGMA)\b/i.test(sql)) return true;
  return /^\s*WITH\b/i.test(sql) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(sql);
}

/** Tries again, with the event loop free, for as long as another process holds the lock. */
async function patiently<T>(step: () => T): Promise<T> {
  for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(pause * 2, 25)) {
    try {
      return step();
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || waited >= BUSY_MS) throw translated(error);
    }
    await setTimeout(pause);
  }
}

function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw translated(error);
  }
}

function ignoring(step: () => unknown): void {
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

/** SQLITE_READONLY with no further detail, from a connection that we opened read-only, is our own mistake. */
function translated(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === NOT_A_DATABASE) return new Error("The file is not an SQLite database.", { cause: error });
  const reason = code === undefined ? undefined : UNAVAILABLE.get(code);
  return reason === undefined ? error : new DatabaseUnavailable(`The database is not available: ${reason}.`, { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
