/**
 * Waiting and waking, the reason this product exists, in one file.
 *
 * A waiter registers first, then reads the row, then sleeps until one of: a wake-up, its own time running out, an
 * abort. Because it is registered before it reads, a decision that commits between the read and the sleep still
 * finds it: the wake-up is kept as a flag that the next sleep takes at once. A wake-up carries no data; whoever is
 * woken reads the row again.
 *
 * Wake-ups can be lost (another process decided, a NOTIFY was missed), so one poll, shared by all waiters, asks
 * the database every {@link POLL_MS} which of the waited-for approvals are no longer pending.
 */
import type { Clock } from "./clock.ts";

/** How often the shared poll asks, in milliseconds: the longest a decision made elsewhere can go unseen. */
export const POLL_MS = 1_500;

export interface Waiter extends Disposable {
  /** Forgets earlier wake-ups. Call it before reading the row, never after. */
  clear(): void;
  /** Resolves at a wake-up since the last `clear`, after `ms`, or when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Waiters extends Disposable {
  register(approvalId: string): Waiter;
  /** Wakes all who wait for this approval. */
  wake(approvalId: string): void;
  /** How many wait now. */
  readonly size: number;
  /** True once it was disposed of, which wakes everybody: nobody sleeps any more. */
  readonly ended: boolean;
}

/** @param closedAmong Which of these ids are no longer pending in the store. A failure is skipped: the next poll asks again. */
export function newWaiters(clock: Clock, closedAmong: (ids: readonly string[]) => Promise<readonly string[]>): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  let size = 0;
  let ended = false;
  let stopPoll: (() => void) | undefined;

  function wake(approvalId: string): void {
    for (const wakeOne of waiting.get(approvalId) ?? []) wakeOne();
  }

  function poll(): void {
    stopPoll = undefined;
    closedAmong([...waiting.keys()])
      .then(
        (closed) => closed.forEach(wake),
        () => undefined,
      )
      .finally(() => keepPolling());
  }

  function keepPolling(): void {
    if (size > 0 && !ended) stopPoll ??= clock.timer(POLL_MS, poll);
  }

  function register(approvalId: string): Waiter {
    let woken = false;
    let rouse: (() => void) | undefined;
    const wakeOne = (): void => {
      woken = true;
      rouse?.();
    };
    const others = waiting.get(approvalId) ?? new Set();
    waiting.set(approvalId, others.add(wakeOne));
    size += 1;
    keepPolling();
    return {
      clear() {
        woken = false;
      },
      sleep(ms, signal) {
        if (woken || ended || signal?.aborted || ms <= 0) return Promise.resolve();
        return new Promise((resolve) => {
          const end = (): void => {
            stopTimer();
            signal?.removeEventListener("abort", end);
            rouse = undefined;
            resolve();
          };
          const stopTimer = clock.timer(ms, end);
          signal?.addEventListener("abort", end, { once: true });
          rouse = end;
        });
      },
      [Symbol.dispose]() {
        if (!others.delete(wakeOne)) return;
        size -= 1;
        if (others.size === 0) waiting.delete(approvalId);
        if (size === 0) {
          stopPoll?.();
          stopPoll = undefined;
        }
      },
    };
  }

  return {
    register,
    wake,
    get size() {
      return size;
    },
    get ended() {
      return ended;
    },
    [Symbol.dispose]() {
      ended = true;
      stopPoll?.();
      for (const id of waiting.keys()) wake(id);
    },
  };
}
