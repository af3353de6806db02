/** One connection to SQLite: its settings, its prepared statements, its parameters. Synchronous, as the driver is. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { DatabaseUnavailable, type SqlValue } from "./database.ts";
import { checkParameters, countParameters } from "./parameters.ts";
import { BUSY_MS } from "./sqlite_errors.ts";

/** Prepared statements kept for each connection; the least recently used goes first. */
const STATEMENTS_KEPT = 256;

/** Holds the index of some 200,000 approvals, so that a look-up in a full store reads one page from the file and not two. */
const CACHE_KIB = 16_000;

export interface Connection {
  readonly raw: DatabaseSync;
  run<Row extends object>(sql: string, params: readonly SqlValue[]): Row[];
  close(): void;
}

/** The connection that writes. @throws DatabaseUnavailable when the file cannot be put into WAL mode. */
export function connectWriter(path: string, inMemory: boolean): Connection {
  // No time-out: the driver would wait with the event loop stopped. `patiently` waits instead.
  const raw = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    if (!inMemory) {
      const [mode] = raw.prepare("PRAGMA journal_mode = WAL").all();
      if (mode?.["journal_mode"] !== "wal")
        throw new DatabaseUnavailable(
          `The database ${path} cannot be put into WAL mode; its file system is not suitable.`,
        );
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

/** A connection that cannot write; needs the writer to have been there first. */
export function connectReader(path: string): Connection {
  // Readers meet a lock only while another process recovers the WAL: short enough to wait in place.
  const raw = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  raw.exec(`PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -${CACHE_KIB}`);
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
