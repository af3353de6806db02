/** A database that tells when it is idle, so that a test can let real answers arrive before it moves the clock. */
import type { Database } from "../../src/store/database.ts";

export interface WatchedDatabase extends Database {
  /** Resolves once no query or transaction is under way and everything that waited for one has run. */
  idle(): Promise<void>;
}

export function watched(db: Database): WatchedDatabase {
  let busy = 0;
  async function counted<T>(work: () => Promise<T>): Promise<T> {
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
    }
  }
  const wrapped: WatchedDatabase = {
    dialect: db.dialect,
    query: (sql, params) => counted(() => db.query(sql, params)),
    transaction: (body) => counted(() => db.transaction(body)),
    clockOffsetMs: () => db.clockOffsetMs(),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    async idle() {
      // An answer may be followed by another question, so idle means idle for several turns on end.
      for (let quiet = 0; quiet < 6; quiet = busy === 0 ? quiet + 1 : 0)
        await new Promise((resolve) => setImmediate(resolve));
    },
  };
  if (db.listen) wrapped.listen = db.listen.bind(db);
  if (db.notify) wrapped.notify = db.notify.bind(db);
  return wrapped;
}
