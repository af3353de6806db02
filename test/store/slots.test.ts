import { describe, expect, it } from "vitest";
import { newSlots } from "../../src/store/slots.ts";

describe("slots", () => {
  it("let no more than their number run at once, in the order of asking", async () => {
    const slots = newSlots(3);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const jobs = Array.from({ length: 20 }, (_, n) =>
      slots.run(async () => {
        started.push(n);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return n;
      }),
    );
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(started).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(most).toBe(3);
  });

  it("are freed by a job that fails", async () => {
    const slots = newSlots(1);
    await expect(slots.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await slots.run(async () => "next")).toBe("next");
  });

  it("are drained when the last that waited has ended, and at once when none runs", async () => {
    const slots = newSlots(1);
    await slots.drained();
    const ended: string[] = [];
    const one = slots.run(async () => void ended.push("one"));
    const two = slots.run(async () => void ended.push("two"));
    await slots.drained();
    expect(ended).toEqual(["one", "two"]);
    await Promise.all([one, two]);
  });
});
