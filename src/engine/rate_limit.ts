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
  const spent = new Map<string, { tokens: number; at: number }>();

  function tokens(key: string, now: number): number {
    const bucket = spent.get(key);
    if (bucket === undefined) return size.burst;
    // A clock that was set back must neither give tokens nor take them.
    return Math.min(size.burst, bucket.tokens + Math.max(0, now - bucket.at) / size.everyMs);
  }

  function set(key: string, left: number, now: number): void {
    spent.delete(key);
    if (left >= size.burst) return;
    spent.set(key, { tokens: left, at: now });
    if (spent.size > KEYS) for (const oldest of spent.keys()) return void spent.delete(oldest);
  }

  return {
    waitMs(key) {
      return Math.max(0, Math.ceil((1 - tokens(key, clock.now())) * size.everyMs));
    },
    take(key) {
      const now = clock.now();
      set(key, tokens(key, now) - 1, now);
    },
    give(key) {
      const now = clock.now();
      set(key, tokens(key, now) + 1, now);
    },
    clear(key) {
      spent.delete(key);
    },
  };
}
