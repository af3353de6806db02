/** A bound on how much happens at once, with a fair queue before it. */
export interface Slots {
  run<T>(job: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs and nothing waits. */
  drained(): Promise<void>;
}

/** At most `size` jobs at a time, first come first served. */
export function newSlots(size: number): Slots {
  let free = size;
  const waiting: (() => void)[] = [];
  let onDrained: (() => void) | undefined;
  return {
    async run(job) {
      if (free > 0) free -= 1;
      // A slot is handed over as it is: nobody who comes later can take it in between.
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await job();
      } finally {
        const next = waiting.shift();
        if (next !== undefined) next();
        else if ((free += 1) === size) onDrained?.();
      }
    },
    drained: () => new Promise((resolve) => (free === size ? resolve() : (onDrained = resolve))),
  };
}
