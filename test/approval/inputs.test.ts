import { describe, expect, test } from "vitest";
import {
  readCancelReason,
  readClaimKey,
  readIdempotencyKey,
  readListLimit,
  readStatusFilter,
  readWaitSeconds,
} from "../../src/approval/inputs.ts";
import { refusalOf } from "./refusal.ts";

describe("the small inputs of the tools", () => {
  test.each<[unknown, number]>([
    [undefined, 45],
    [null, 45],
    [0, 0],
    [-5, 0],
    [0.9, 0],
    [-0.5, 0],
    [54.9, 54],
    [55, 55],
    [300, 55],
    [1e308, 55],
  ])("[BR 52] waitSeconds %j means %d of at most 55", (value, seconds) => {
    expect(Object.is(readWaitSeconds(value, 55), seconds)).toBe(true);
  });

  test("[BR 27] the default wait is clamped to what the operator allows", () =>
    expect(readWaitSeconds(undefined, 20)).toBe(20));

  test.each<[unknown, number]>([
    [undefined, 20],
    [null, 20],
    [0, 1],
    [-3, 1],
    [1.9, 1],
    [50, 50],
    [101, 100],
  ])("limit %j means %d", (value, limit) => expect(readListLimit(value)).toBe(limit));

  test.each(["45", "", true, [], {}, Number.NaN, Infinity, -Infinity])(
    "%j in the place of a number is refused",
    (value) => {
      expect(refusalOf(() => readWaitSeconds(value, 55))).toMatchObject({
        code: "invalid_request",
        path: "/waitSeconds",
      });
      expect(refusalOf(() => readListLimit(value))).toMatchObject({ code: "invalid_request", path: "/limit" });
    },
  );

  test("a status filter is one of the statuses, or none", () => {
    expect(readStatusFilter("consumed")).toBe("consumed");
    expect(readStatusFilter(undefined)).toBeNull();
    expect(readStatusFilter(null)).toBeNull();
    for (const value of ["cancelled", "approved", "", 1, ["pending"]])
      expect(refusalOf(() => readStatusFilter(value))).toMatchObject({ code: "invalid_request", path: "/status" });
  });

  test("a reason has at most 500 characters; none and the empty one are the same", () => {
    expect(readCancelReason("no longer needed")).toBe("no longer needed");
    expect(readCancelReason("😀".repeat(500))).toHaveLength(1_000);
    for (const value of [undefined, null, ""]) expect(readCancelReason(value)).toBeNull();
    for (const value of ["a".repeat(501), 5, {}, "a\0b", "\ud800"])
      expect(refusalOf(() => readCancelReason(value))).toMatchObject({ code: "invalid_request", path: "/reason" });
  });

  test("keys have 1 to 200 characters", () => {
    for (const read of [readClaimKey, readIdempotencyKey]) {
      expect(read("k")).toBe("k");
      expect(read("k".repeat(200), "/k")).toHaveLength(200);
      for (const value of [undefined, null]) expect(read(value)).toBeNull();
      for (const value of ["", "k".repeat(201), 7, "a\0", "\udfff"])
        expect(refusalOf(() => read(value, "/k"))).toMatchObject({ code: "invalid_request", path: "/k" });
    }
  });
});
