/** Waiters alone: what a wake-up is worth, whenever it comes, and what the shared poll does. */
import { expect, test } from "vitest";
import { newWaiters, POLL_MS, type Waiter } from "../../src/engine/waiters.ts";
import { manualClock, settle } from "../support/clock.ts";

const HOUR = 3_600_000;

function setUp(closed: () => Promise<string[]> = async () => []) {
  const clock = manualClock();
  const asked: string[][] = [];
  const waiters = newWaiters(clock, (ids) => {
    asked.push([...ids]);
    return closed();
  });
  return { clock, asked, waiters };
}

/** Whether the sleep has ended, without moving the clock. */
async function awake(sleep: Promise<void>): Promise<boolean> {
  let ended = false;
  void sleep.then(() => (ended = true));
  await settle();
  return ended;
}

test("a wake-up between the look and the sleep is kept for that sleep", async () => {
  const { waiters } = setUp();
  const waiter = waiters.register("a");
  waiter.clear();
  waiters.wake("a");
  expect(await awake(waiter.sleep(HOUR))).toBe(true);
  waiter.clear();
  expect(await awake(waiter.sleep(HOUR))).toBe(false);
});

test("a wake-up rouses all who wait for this approval, and nobody else", async () => {
  const { waiters } = setUp();
  const sleeps = ["a", "a", "b"].map((id) => waiters.register(id).sleep(HOUR));
  waiters.wake("a");
  expect(await Promise.all(sleeps.map(awake))).toEqual([true, true, false]);
});

test("one poll serves all, asks for each approval once, and goes on after a failure", async () => {
  let failing = true;
  const { clock, asked, waiters } = setUp(async () => {
    if (failing) throw new Error("the store is away");
    return ["b"];
  });
  const [first, second] = ["a", "b", "b"].map((id) => waiters.register(id)) as [Waiter, Waiter, Waiter];
  const sleeps = [first.sleep(HOUR), second.sleep(HOUR)];
  await clock.advance(POLL_MS);
  expect(asked).toEqual([["a", "b"]]);
  failing = false;
  await clock.advance(POLL_MS);
  expect(asked).toHaveLength(2);
  expect(await Promise.all(sleeps.map(awake))).toEqual([false, true]);
});

test("nothing is asked and no timer is left once nobody waits, however often one is disposed of", async () => {
  const { clock, asked, waiters } = setUp();
  const [a, b] = [waiters.register("a"), waiters.register("a")];
  a[Symbol.dispose]();
  a[Symbol.dispose]();
  expect(waiters.size).toBe(1);
  b[Symbol.dispose]();
  expect(waiters.size).toBe(0);
  expect(clock.timers).toBe(0);
  await clock.advance(2 * POLL_MS);
  expect(asked).toEqual([]);
});
