import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText, digestOf } from "../../src/approval/canonical.ts";
import type { JsonValue } from "../../src/approval/json_text.ts";

const jsonValue = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

/** The same value with the keys of every object in another order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reversed(one)]),
  );
}

describe("canonical JSON and its digests", () => {
  test("[BR 100] a digest does not depend on the order of keys", () => {
    expect(digestOf("context", { a: 1, b: 2 })).toBe(digestOf("context", { b: 2, a: 1 }));
    fc.assert(fc.property(jsonValue, (value) => digestOf("context", value) === digestOf("context", reversed(value))));
  });

  test("[BR 101] keys are ordered by UTF-16 code units, in every locale", () => {
    expect(canonicalText({ ä: 1, z: 2, Z: 3, _: 4 })).toBe('{"Z":3,"_":4,"z":2,"ä":1}');
    const script = `import { digestOf } from ${JSON.stringify(new URL("../../src/approval/canonical.ts", import.meta.url).href)};
      console.log(digestOf("context", { ä: 1, z: 2, Z: 3, _: 4 }));`;
    const digests = ["sv_SE.UTF-8", "C", "tr_TR.UTF-8"].map((locale) =>
      execFileSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { LANG: locale, LC_ALL: locale },
        encoding: "utf8",
      }).trim(),
    );
    expect(new Set(digests)).toEqual(new Set([digestOf("context", { ä: 1, z: 2, Z: 3, _: 4 })]));
  });

  test("[BR 103] a digest survives storing as text and reading again", () => {
    fc.assert(
      fc.property(
        jsonValue,
        (value) => digestOf("context", value) === digestOf("context", JSON.parse(JSON.stringify(value)) as JsonValue),
      ),
    );
  });

  test("the property-sorting example of RFC 8785, 3.2.3 comes out in its order", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.values(JSON.parse(canonicalText(value)) as object)).toHaveLength(7);
    expect(canonicalText(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  test("is the plain SHA-256 of prefix, NUL and canonical bytes, so that any language can recompute it", () => {
    const expected = createHash("sha256").update('countersign/context/v1\0{"a":[1,"é"]}', "utf8").digest("hex");
    expect(digestOf("context", { a: [1, "é"] })).toBe(`sha256:${expected}`);
  });

  test("digests of equal content in different roles differ", () => {
    expect(digestOf("context", {})).not.toBe(digestOf("answer", {}));
  });

  test("refuses what has no canonical form", () => {
    expect(() => canonicalText("\ud800")).toThrow();
    expect(() => canonicalText(Number.NaN)).toThrow();
    expect(() => canonicalText(undefined as unknown as JsonValue)).toThrow(TypeError);
  });
});
