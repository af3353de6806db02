/** The engine's tick: at the start and about once a second after the last one ended. */
import type { Clock } from "../engine/clock.ts";
import { detailOf } from "./log.ts";
import type { Log } from "./log.ts";

const EVERY_MS = 1_000;

/**
 * Runs `tick` once, then keeps running it. A failure is logged when it begins and when it is over, not each second.
 *
 * @returns a function that stops it and waits for a tick that is under way.
 */
export async function startTicking(tick: () => Promise<void>, clock: Clock, log: Log): Promise<() => Promise<void>> {
  let stopped = false;
  let failing = false;
  let callOff = (): void => {};
  let running = Promise.resolve();

  async function once(): Promise<void> {
    try {
      await tick();
      if (failing) log.write("info", "tick_recovered", "The store can be written again.");
      failing = false;
    } catch (error) {
      if (!failing)
        log.write("error", "tick_failed", "The store cannot be written now; trying again each second.", {
          detail: detailOf(error),
        });
      failing = true;
    }
    if (!stopped) callOff = clock.timer(EVERY_MS, () => (running = once()));
  }

  await once();
  return async () => {
    stopped = true;
    callOff();
    await running;
  };
}
