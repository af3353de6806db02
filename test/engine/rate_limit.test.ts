import { describe, expect, test } from "vitest";
import { addressKey, newAttempts } from "../../src/engine/attempts.ts";
import { newBuckets } from "../../src/engine/rate_limit.ts";
import { manualClock } from "../support/clock.ts";

describe("a token bucket", () => {
  const size = { burst: 3, everyMs: 1_000 };

  test("gives its burst, then one at each interval, never more than the burst", () => {
    const clock = manualClock();
    const buckets = newBuckets(clock, size);
    for (let at = 0; at < 3; at += 1) {
      expect(buckets.waitMs("a")).toBe(0);
      buckets.take("a");
    }
    expect(buckets.waitMs("a")).toBe(1_000);
    expect(buckets.waitMs("b")).toBe(0);
    clock.jump(999);
    expect(buckets.waitMs("a")).toBe(1);
    clock.jump(1);
    expect(buckets.waitMs("a")).toBe(0);
    buckets.take("a");
    expect(buckets.waitMs("a")).toBe(1_000);
    clock.jump(1_000_000);
    for (let at = 0; at < 3; at += 1) buckets.take("a");
    expect(buckets.waitMs("a")).toBe(1_000);
  });

  test("gives back and is filled again", () => {
    const buckets = newBuckets(manualClock(), size);
    for (let at = 0; at < 3; at += 1) buckets.take("a");
    buckets.give("a");
    expect(buckets.waitMs("a")).toBe(0);
    buckets.take("a");
    expect(buckets.waitMs("a")).toBe(1_000);
    buckets.clear("a");
    for (let at = 0; at < 9; at += 1) buckets.give("a");
    for (let at = 0; at < 3; at += 1) buckets.take("a");
    expect(buckets.waitMs("a")).toBe(1_000);
  });

  test("neither opens nor locks for long when the clock is set back", () => {
    const clock = manualClock();
    const buckets = newBuckets(clock, size);
    for (let at = 0; at < 3; at += 1) buckets.take("a");
    clock.jump(-86_400_000);
    expect(buckets.waitMs("a")).toBe(1_000);
  });

  test("forgets the key used longest ago rather than growing without end", () => {
    const buckets = newBuckets(manualClock(), size);
    for (let at = 0; at < 3; at += 1) buckets.take("victim");
    for (let at = 0; at < 9_999; at += 1) buckets.take(`key ${at}`);
    expect(buckets.waitMs("victim")).toBe(1_000);
    buckets.take("one more");
    expect(buckets.waitMs("victim")).toBe(0);
  });
});

describe("attempts", () => {
  test("an attempt that one limit refuses is not counted by the others", () => {
    const attempts = newAttempts(manualClock());
    for (let at = 0; at < 10; at += 1) expect(attempts.admitSignIn("anna", `10.0.0.${at}`)).toBeUndefined();
    for (let at = 0; at < 200; at += 1) expect(attempts.admitSignIn("anna", "10.0.0.99")).toBe(60);
    expect(attempts.admitSignIn("ben", "10.0.0.99")).toBeUndefined();
  });

  test("a stranger who wears out a name at the sign-in page blocks neither a passkey nor a decision", () => {
    const attempts = newAttempts(manualClock());
    for (let at = 0; at < 11; at += 1) attempts.admitSignIn("anna", "203.0.113.9");
    expect(attempts.admitSignIn("anna", "198.51.100.1")).toBe(60);
    expect(attempts.admitPasskey("198.51.100.1")).toBeUndefined();
    expect(attempts.admitProof("person_anna")).toBeUndefined();
  });
});

describe("strangers at the sign-in page", () => {
  test("who use up the passwords of everybody, from many addresses or the person's own, leave the passkeys be", () => {
    const attempts = newAttempts(manualClock());
    for (let at = 0; at < 40; at += 1) attempts.admitSignIn(null, "127.0.0.1");
    for (let at = 0; at < 60; at += 1) attempts.admitSignIn(null, `203.0.113.${at}`);
    expect(attempts.admitSignIn("anna", "198.51.100.1")).toBe(1);
    expect(attempts.admitCeremony("127.0.0.1")).toBeUndefined();
    expect(attempts.admitPasskey("127.0.0.1")).toBeUndefined();
  });

  test("who begin and send passkey answers from one address use up their own limit and nobody else's", () => {
    const attempts = newAttempts(manualClock());
    for (let at = 0; at < 200; at += 1) attempts.admitCeremony("203.0.113.9");
    for (let at = 0; at < 200; at += 1) attempts.admitPasskey("203.0.113.9");
    expect([attempts.admitCeremony("203.0.113.9"), attempts.admitPasskey("203.0.113.9")]).toEqual([2, 2]);
    expect(attempts.admitCeremony("198.51.100.1")).toBeUndefined();
    expect(attempts.admitPasskey("198.51.100.1")).toBeUndefined();
    expect(attempts.admitSignIn("anna", "203.0.113.9")).toBeUndefined();
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8:0:7::1", "2001:db8:0:7::/64"],
  ["2001:0DB8:0000:0007:aaaa:bbbb:cccc:dddd", "2001:db8:0:7::/64"],
  ["2001:db8::7:1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
])("the address %s counts as %s", (address, key) => {
  expect(addressKey(address)).toBe(key);
});
