/**
 * Knows whether the running code belongs to the body of an open transaction. On SQLite a nested transaction waits for
 * itself for ever, on PostgreSQL it takes a second connection until the pool is empty: better an error, on both alike.
 */
import { AsyncLocalStorage } from "node:async_hooks";

interface Body {
  open: boolean;
}

const bodies = new AsyncLocalStorage<Body>();

/** Runs a transaction's body; until it settles, {@link refuseInside} throws for whatever the body calls. */
export async function runInside<T>(body: () => Promise<T>): Promise<T> {
  const mark: Body = { open: true };
  try {
    return await bodies.run(mark, body);
  } finally {
    // What the body left behind (a timer, a waiter) inherits the mark and may use the database afterwards.
    mark.open = false;
  }
}

/** @throws Error when called from the body of an open transaction. */
export function refuseInside(): void {
  if (bodies.getStore()?.open === true)
    throw new Error("A transaction is open here: use the `tx` that its body was given.");
}
