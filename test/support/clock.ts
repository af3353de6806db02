/** A clock that only the test moves. */
import type { Clock } from "../../src/engine/clock.ts";

export interface ManualClock extends Clock {
  /** Moves time on by `ms`, firing what falls due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock without firing anything: a clock jump. */
  jump(ms: number): void;
  /** How many timers are set. */
  readonly timers: number;
}

export function manualClock(start = Date.UTC(2026, 10, 30, 12, 0, 0)): ManualClock {
  let wall = start;
  /** Runs on its own, as a timer does: a jump of the wall clock moves no timer. */
  let monotonic = 0;
  const timers = new Map<object, { at: number; fire: () => void }>();

  function nextDue(until: number): [object, { at: number; fire: () => void }] | undefined {
    let best: [object, { at: number; fire: () => void }] | undefined;
    for (const entry of timers)
      if (entry[1].at <= until && (best === undefined || entry[1].at < best[1].at)) best = entry;
    return best;
  }

  return {
    now: () => wall,
    timer(ms, fire) {
      const key = {};
      timers.set(key, { at: monotonic + Math.max(0, ms), fire });
      return () => timers.delete(key);
    },
    async advance(ms) {
      const until = monotonic + ms;
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        timers.delete(due[0]);
        wall += due[1].at - monotonic;
        monotonic = due[1].at;
        due[1].fire();
        await settle();
      }
      wall += until - monotonic;
      monotonic = until;
      await settle();
    },
    jump(ms) {
      wall += ms;
    },
    get timers() {
      return timers.size;
    },
  };
}

/** Lets everything that is ready run: promises, and the turns of the event loop that a database answer takes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
