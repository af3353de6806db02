/**
 * PostgreSQL by `pg`: any number of nodes over one database. READ COMMITTED is enough, since each change names in its
 * WHERE the state it leaves behind.
 */
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { CommitUncertain, type Database, DatabaseUnavailable, type Queryable, type SqlValue } from "./database.ts";
import { refuseInside, runInside } from "./inside.ts";
import { checkParameters, countParameters } from "./parameters.ts";
import { isSqlState, leavesCommitOpen, translated } from "./postgres_errors.ts";
import { openListener } from "./postgres_listener.ts";
import { newSlots } from "./slots.ts";

/** Connections of one node. What comes beyond waits in our queue, not in the pool's, which would give up on it. */
const CONNECTIONS = 10;
/** How often one transaction is run when the database asks for it to be run again. */
const ATTEMPTS = 5;
const RETRY_MS = 5;
const OFFSET_EVERY_MS = 60_000;
const CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";

/** Server and driver settings of every connection. The times are milliseconds. */
const SETTINGS = {
  application_name: "countersign",
  connectionTimeoutMillis: 5_000,
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
} as const;

/**
 * Connects to `url` (`postgres://…`) and measures how far its clock is from ours.
 *
 * @param now the local clock, epoch milliseconds.
 * @throws DatabaseUnavailable when the server cannot be reached or refuses us.
 */
export async function openPostgres(url: string, now: () => number = Date.now): Promise<Database> {
  // At first use: whoever stays on SQLite never loads the driver.
  const { default: driver } = await import("pg");
  const config: pg.PoolConfig = {
    ...SETTINGS,
    connectionString: url,
    types: { getTypeParser: readerOf(driver.types) },
  };
  const pool = new driver.Pool({ ...config, max: CONNECTIONS, idleTimeoutMillis: 30_000 });
  // Without a listener, a server that restarts would end this process.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));

  const slots = newSlots(CONNECTIONS);
  let offset = 0;
  async function measureOffset(): Promise<void> {
    const before = now();
    const [row] = await plainQuery<{ now: number }>(pool, CLOCK, []);
    // The answer was made about half way between question and answer.
    if (row !== undefined) offset = Math.round(row.now - (before + now()) / 2);
  }
  try {
    await measureOffset();
  } catch (error) {
    await pool.end();
    throw error;
  }
  // A failed measurement keeps the last one.
  const ticking = setInterval(() => void slots.run(measureOffset).catch(ignore), OFFSET_EVERY_MS).unref();

  const listener = openListener(() => new driver.Client(config));
  let closing: Promise<void> | undefined;
  function refuseClosed(): void {
    if (closing !== undefined) throw new DatabaseUnavailable("The database has been closed.");
  }

  return {
    dialect: "postgres",
    clockOffsetMs: () => offset,

    async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
      refuseInside();
      refuseClosed();
      check(sql, params);
      return slots.run(() => again(() => plainQuery<Row>(pool, sql, params)));
    },

    async transaction<T>(body: (tx: Queryable) => Promise<T>): Promise<T> {
      refuseInside();
      refuseClosed();
      return slots.run(() => again(() => runTransaction(pool, body)));
    },

    async listen(channel, onMessage) {
      refuseClosed();
      return listener.listen(channel, onMessage);
    },

    async notify(tx, channel, payload) {
      await tx.query("SELECT pg_notify($1, $2)", [channel, payload]);
    },

    [Symbol.asyncDispose]() {
      clearInterval(ticking);
      closing ??= Promise.all([listener.close(), slots.drained()])
        .then(() => pool.end())
        .then(ignore);
      return closing;
    },
  };
}

async function plainQuery<Row extends object>(pool: pg.Pool, sql: string, params: readonly SqlValue[]): Promise<Row[]> {
  try {
    return (await pool.query<Row>(sql, [...params])).rows;
  } catch (error) {
    throw translated(error);
  }
}

async function runTransaction<T>(pool: pg.Pool, body: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translated(error);
  });
  let open = true;
  let failure: { readonly error: unknown } | undefined;
  let broken = false;
  const tx: Queryable = {
    async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
      if (!open) throw new Error("This transaction has ended: await every `tx.query` inside its body.");
      if (failure !== undefined) throw failure.error;
      try {
        check(sql, params);
        return (await client.query<Row>(sql, [...params])).rows;
      } catch (error) {
        failure ??= { error: translated(error) };
        throw failure.error;
      }
    },
  };
  try {
    await send(client, "BEGIN ISOLATION LEVEL READ COMMITTED");
    const result = await runInside(() => body(tx));
    open = false;
    // A body may swallow a failed statement; PostgreSQL would then answer COMMIT with a quiet ROLLBACK.
    if (failure !== undefined) throw (failure as { error: unknown }).error;
    await commit(client);
    return result;
  } catch (error) {
    // Ends the transaction whatever became of it. A client that cannot even do this is thrown away.
    await client.query("ROLLBACK").catch(() => (broken = true));
    throw error;
  } finally {
    open = false;
    client.release(broken);
  }
}

async function send(client: pg.PoolClient, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw translated(error);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query("COMMIT"));
  } catch (error) {
    if (!leavesCommitOpen(error)) throw translated(error);
    // Never run again on this: the server may have committed before the connection went.
    throw new CommitUncertain("The connection was lost while committing: the change may or may not have been kept.", {
      cause: error,
    });
  }
  if (command !== "COMMIT") throw new Error(`The database answered COMMIT with ${command}.`);
}

/** Runs once more what the server rolled back for the sake of another transaction, after a pause that lets the other finish. */
async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isSqlState(error, "40001", "40P01")) throw error;
      if (attempt === ATTEMPTS)
        throw new DatabaseUnavailable(`The database gave way to other transactions ${ATTEMPTS} times.`, {
          cause: error,
        });
    }
    await setTimeout(attempt * RETRY_MS);
  }
}

function check(sql: string, params: readonly SqlValue[]): void {
  let count = counts.get(sql);
  if (count === undefined) {
    count = countParameters(sql);
    if (counts.size >= 1_000) counts.clear();
    counts.set(sql, count);
  }
  checkParameters(sql, count, params);
}
const counts = new Map<string, number>();

/** Numbers come back as numbers, and truth as 0 and 1, as on SQLite. */
function readerOf(types: typeof pg.types): pg.CustomTypesConfig["getTypeParser"] {
  const own = new Map<number, (text: string) => unknown>([
    [types.builtins.INT8, readNumber],
    [types.builtins.NUMERIC, readNumber],
    [types.builtins.BOOL, (text) => (text === "t" ? 1 : 0)],
  ]);
  return ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && own.get(oid)) || types.getTypeParser(oid, format)) as pg.CustomTypesConfig["getTypeParser"];
}

function readNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`The database holds ${text}, which is beyond 2^53 - 1.`);
  return value;
}

function ignore(): void {}
