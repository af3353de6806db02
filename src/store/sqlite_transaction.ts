/**
 * Transactions on SQLite's one writing connection. Those that wait at the same time are committed together: a commit
 * is a disk's fsync and a dozen pages, however much stands in it.
 *
 * Each keeps what was promised to it alone: its own savepoint, so that one that fails takes nothing of the others
 * along, and no answer before the commit that makes it durable.
 */
import { setImmediate } from "node:timers/promises";
import { DatabaseUnavailable, type Queryable, type SqlValue } from "./database.ts";
import { runInside } from "./inside.ts";
import type { Connection } from "./sqlite_connection.ts";
import { attempt, ignoring, patiently } from "./sqlite_errors.ts";

/** So many share a commit at most: the event loop stands still from the first to the fsync. */
const TOGETHER = 16;

type Body<T> = (tx: Queryable) => Promise<T>;
type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** One transaction by itself. */
export async function runAlone<T>(writer: Connection, body: Body<T>, busyMs: number): Promise<T> {
  await begin(writer, busyMs);
  const outcome = await runBody(writer, body);
  if (!outcome.ok) {
    rollBack(writer);
    throw outcome.error;
  }
  commit(writer);
  return outcome.value;
}

interface Waiting {
  readonly body: Body<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * @param enqueue puts a job into the queue of all that uses the connection.
 * @returns a function that runs a transaction together with the others that wait. It settles after their commit.
 */
export function newGroups(
  writer: Connection,
  busyMs: number,
  enqueue: (job: () => Promise<void>) => Promise<void>,
): <T>(body: Body<T>) => Promise<T> {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // A turn of the event loop, in which others come.
      await setImmediate();
      const group = waiting.splice(0, TOGETHER);
      try {
        const settle = await runTogether(writer, group, busyMs);
        settle.forEach((each) => each());
      } catch (error) {
        group.forEach((each) => each.reject(error));
      }
    }
    running = false;
  }

  return <T>(body: Body<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ body, resolve, reject });
      if (running) return;
      running = true;
      void enqueue(run);
    });
}

/** @returns what to tell each of them, once the commit is done. Throws when nothing of any of them was kept. */
async function runTogether(writer: Connection, group: readonly Waiting[], busyMs: number): Promise<(() => void)[]> {
  const [first] = group;
  if (first !== undefined && group.length === 1) {
    const value = await runAlone(writer, first.body, busyMs);
    return [() => first.resolve(value)];
  }
  const { raw } = writer;
  await begin(writer, busyMs);
  const settle: (() => void)[] = [];
  try {
    for (const { body, resolve, reject } of group) {
      attempt(() => raw.exec("SAVEPOINT one"));
      const outcome = await runBody(writer, body);
      // Out of space or unable to read, SQLite has rolled back everything by itself.
      if (!raw.isTransaction)
        throw outcome.ok ? new DatabaseUnavailable("The database gave up a transaction.") : outcome.error;
      attempt(() => raw.exec(outcome.ok ? "RELEASE one" : "ROLLBACK TO one; RELEASE one"));
      settle.push(outcome.ok ? () => resolve(outcome.value) : () => reject(outcome.error));
    }
  } catch (error) {
    rollBack(writer);
    throw error;
  }
  commit(writer);
  return settle;
}

async function begin({ raw }: Connection, busyMs: number): Promise<void> {
  // Only after a ROLLBACK that itself failed, for instance for want of space.
  if (raw.isTransaction) attempt(() => raw.exec("ROLLBACK"));
  await patiently(() => raw.exec("BEGIN IMMEDIATE"), busyMs);
}

function commit(writer: Connection): void {
  try {
    attempt(() => writer.raw.exec("COMMIT"));
  } catch (error) {
    rollBack(writer);
    throw error;
  }
}

function rollBack({ raw }: Connection): void {
  if (raw.isTransaction) ignoring(() => raw.exec("ROLLBACK"));
}

/** Never rejects. */
async function runBody<T>(writer: Connection, body: Body<T>): Promise<Outcome<T>> {
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
    const value = await runInside(() => body(tx));
    return failure === undefined ? { ok: true, value } : { ok: false, error: (failure as { error: unknown }).error };
  } catch (error) {
    return { ok: false, error };
  } finally {
    open = false;
  }
}
