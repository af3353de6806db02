import { afterEach, describe, expect, test } from "vitest";
import { absoluteTime, relativeTime, shortRelativeTime } from "../../src/page/time.tsx";

describe("times on pages", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  test("every time has its date and its zone [BR 191] [BR 196]", () => {
    expect(absoluteTime(Date.UTC(2026, 10, 30, 12, 31, 5))).toBe("12:31:05 UTC on 30 November 2026");
  });

  test.each(["Asia/Jakarta", "America/Los_Angeles", "Asia/Kolkata", "UTC"])(
    "the zone of the machine (%s) changes nothing [BR 192] [BR 193]",
    (name) => {
      process.env["TZ"] = name;
      expect(absoluteTime(Date.UTC(2026, 11, 1, 0, 30, 0))).toBe("00:30:00 UTC on 1 December 2026");
    },
  );

  test.each([
    [3_599_000, "in 59 minutes"],
    [3_600_000, "in 1 hour"],
    [59_000, "in less than a minute"],
    [604_800_000, "in 7 days"],
    [0, "just now"],
    [-59_000, "just now"],
    [-120_000, "2 minutes ago"],
  ])("%d ms away reads %s: never more time than there is", (ms, words) => {
    expect(relativeTime(1_000_000 + ms, 1_000_000)).toBe(words);
  });

  test("the short form keeps the number", () => {
    expect(shortRelativeTime(3_599_000, 0)).toBe("in 59 min");
    expect(shortRelativeTime(7_300_000, 0)).toBe("in 2 h");
    expect(shortRelativeTime(1_000, 0)).toBe("in under 1 min");
  });
});
