/**
 * The seam between the statements of this folder and a database. Two implementations: `sqlite.ts`, `postgres.ts`.
 *
 * One dialect: `$1…` parameters, `RETURNING`, `ON CONFLICT`. Booleans are 0 and 1, times are epoch milliseconds,
 * JSON is text. Row counts are read from `RETURNING`.
 */

/**
 * What may be bound. Refused by both databases alike: numbers beyond 2^53 - 1 or not finite, `undefined`, `Date`,
 * booleans, and text with U+0000 or half a surrogate pair.
 */
export type SqlValue = string | number | null | Uint8Array;

export interface Queryable {
  /** Runs one statement and returns its rows. Integers come back as JavaScript numbers. */
  query<Row extends object = Record<string, SqlValue>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

export interface Database extends Queryable, AsyncDisposable {
  readonly dialect: "sqlite" | "postgres";

  /**
   * Runs `body` in one transaction: committed when it resolves, rolled back when it rejects.
   *
   * The body awaits only `tx.query`: no clock, file, network, rendering or slow hashing. It may be run again
   * from the start when the database asks for it (serialization, deadlock), so it must have no other effect. A
   * statement that fails dooms the transaction, even when the body catches the error. Calling `query` or `transaction`
   * of the database inside the body throws.
   */
  transaction<T>(body: (tx: Queryable) => Promise<T>): Promise<T>;

  /** Milliseconds to add to the local clock to get the clock that deadlines are compared with (0 on SQLite). */
  clockOffsetMs(): number;

  /** Where nodes share a database: calls `onMessage` with each payload sent to `channel`. A hint, never the truth. */
  listen?(channel: string, onMessage: (payload: string) => void): Promise<AsyncDisposable>;

  /** The other end of `listen`, inside a transaction: delivered when it commits. */
  notify?(tx: Queryable, channel: string, payload: string): Promise<void>;
}

/** The database refused for want of space, permission, connection or time. Nothing of a transaction was kept. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = "DatabaseUnavailable";
}

/** The one exception: the connection was lost while the database was answering COMMIT, so the change may have been kept. */
export class CommitUncertain extends DatabaseUnavailable {
  override readonly name = "CommitUncertain";
}
