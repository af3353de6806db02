/**
 * Token buckets in memory: each key may do `burst` things at once, then one each `everyMs`.
 *
 * They forget at a restart and are not shared between nodes. They slow guessing down; what makes guessing hopeless
 * is the strength of the secrets.
 */
import type { Clock } from "./clock.ts";

export interface BucketSize {
  readonly burst: number;
  readonly everyMs: number;
}

export interface Buckets {
  /** Milliseconds until the key has a token; 0 when it has one. Takes nothing. */
  waitMs(key: string): number;
  take(key: string): void;
  /** Gives one token back. */
  give(key: string): void;
  /** Fills the key's bucket again. */
  clear(key: string): void;
}

/** So many keys are remembered; beyond it the one used longest ago is forgotten. */
const KEYS = 10_000;

export function newBuckets(clock: Clock, size: BucketSize): Buckets {
  // Kept as a debt in whole milliseconds: how long it takes until the bucket is full again.
  const spent = new Map<string, { debtMs: number; at: number }>();

  function debt(key: string, now: number): number {
    const bucket = spent.get(key);
    // A clock that was set back must neither give tokens nor take them.
    return bucket === undefined ? 0 : Math.max(0, bucket.debtMs - Math.max(0, now - bucket.at));
  }

  function add(key: string, ms: number): void {
    const now = clock.now();
    const debtMs = Math.max(0, debt(key, now) + ms);
    // Deleted first, so that the map stays in the order of last use.
    spent.delete(key);
    if (debtMs === 0) return;
    spent.set(key, { debtMs, at: now });
    if (spent.size > KEYS) for (const oldest of spent.keys()) return void spent.delete(oldest);
  }

  return {
    waitMs: (key) => Math.max(0, debt(key, clock.now()) - (size.burst - 1) * size.everyMs),
    take: (key) => add(key, size.everyMs),
    give: (key) => add(key, -size.everyMs),
    clear: (key) => void spent.delete(key),
  };
}
