import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultError, type JsonFaultKind, scanJson, sliceAt } from "../../src/approval/json_text.ts";
import { isExactNumber } from "../../src/approval/number_text.ts";

/** A JSON value and one of its many spellings: blanks anywhere, characters escaped at random. */
function spell(value: unknown, chance: () => number): string {
  const blank = (): string => " \n\t\r".slice(chance() % 5, (chance() % 5) + 1);
  const string = (text: string): string =>
    `"${Array.from({ length: text.length }, (_, i) => {
      const unit = text.charCodeAt(i);
      return chance() % 3 === 0
        ? `\\u${unit.toString(16).padStart(4, "0")}`
        : JSON.stringify(text.charAt(i)).slice(1, -1);
    }).join("")}"`;
  const write = (item: unknown): string => {
    if (typeof item === "string") return blank() + string(item) + blank();
    if (Array.isArray(item)) return `${blank()}[${item.length === 0 ? blank() : item.map(write).join(",")}]${blank()}`;
    if (typeof item === "object" && item !== null)
      return `${blank()}{${blank()}${Object.entries(item)
        .map(([key, one]) => `${blank()}${string(key)}${blank()}:${write(one)}`)
        .join(",")}}${blank()}`;
    return blank() + JSON.stringify(item) + blank();
  };
  return write(value);
}

/** Whether the new name of the refused key would meet one that is there. */
function twins(value: unknown): boolean {
  return /"proto"/.test(JSON.stringify(value));
}

const jsonText = fc
  .tuple(
    fc.jsonValue({ maxDepth: 6 }).filter((value) => !twins(value)),
    fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 }),
  )
  .map(([value, chances]) => {
    let next = 0;
    // The one key that is refused is given another name.
    const plain = JSON.stringify(value).replaceAll("__proto__", "proto");
    return spell(JSON.parse(plain), () => chances[next++ % chances.length] ?? 0);
  });

describe("scanning the source text of JSON", () => {
  test("finds no fault in any spelling of any JSON value", () => {
    fc.assert(
      fc.property(jsonText, (text) => scanJson(text) === undefined),
      { numRuns: 500 },
    );
  });

  test("finds a syntax fault exactly where JSON.parse refuses a text", () => {
    const damaged = fc.tuple(
      jsonText,
      fc.nat(),
      fc.constantFrom(
        "",
        "{",
        "}",
        "[",
        "]",
        '"',
        ",",
        ":",
        "\\",
        "0",
        "-",
        ".",
        "e",
        "n",
        "\u0000",
        "\u00a0",
        "//",
        "NaN",
      ),
    );
    fc.assert(
      fc.property(damaged, ([text, place, piece]) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + piece + text.slice(at + (place % 2));
        const fault = scanJson(changed);
        if (parses(changed)) expect(fault?.kind).not.toBe("syntax");
        else expect(fault).toBeDefined();
        if (fault?.kind === "syntax") expect(parses(changed)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    "",
    " ",
    "{",
    "[1,]",
    '{"a":1,}',
    "{a:1}",
    "'a'",
    "01",
    "+1",
    ".5",
    "5.",
    "1e",
    "--1",
    "NaN",
    "Infinity",
    "undefined",
    "tru",
    "nul",
    "true false",
    "1 2",
    '"a',
    '"\n"',
    '"\\x41"',
    '"\\u12"',
    "[1",
    "[1}",
    '{"a":1]',
    '{"a"}',
    '{"a":}',
    "{,}",
    "[,]",
    "\ufeff1",
    "/**/1",
  ])("refuses %j as JSON.parse does", (text) => {
    expect(parses(text)).toBe(false);
    expect(scanJson(text)).toMatchObject({ kind: "syntax" });
  });

  test.each([
    "0",
    "-0",
    "0.1",
    "19.99",
    "1.0",
    "0.10",
    "1e2",
    "1E+2",
    "100e-2",
    "5e-324",
    "1.7976931348623157e308",
    "9007199254740991",
    "9007199254740994",
    "12345678901234567000",
    "-1.50",
    "0e999999999999999999",
    "0.000e-400",
    "1e21",
    "123456789012345680000",
  ])("[BR 104] accepts the number %s: JavaScript prints the same decimal value", (number) =>
    expect(scanJson(`{"n":${number}}`)).toBeUndefined(),
  );

  test.each([
    "9007199254740993",
    "2512292042121000001",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1000000000000000055",
    "12345678901234567890",
    "1e999999999",
    "1e-999999999",
    "1e99999999999999999999999999",
    "123456789.123456789123",
    "4.9e-324",
    "0.30000000000000004441",
  ])("[BR 104] refuses the number %s and says to send a string", (number) => {
    const fault = scanJson(`{"deep":[0,{"n":${number}}]}`, { pointer: "/context" });
    expect(fault).toMatchObject({ kind: "unsafe_number", pointer: "/context/deep/1/n" });
    expect(fault?.message).toContain("string");
  });

  test("accepts every number that JavaScript prints", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => isExactNumber(String(number))),
      { numRuns: 2000 },
    );
  });

  test("agrees with exact arithmetic on random decimal numbers", () => {
    const decimals = fc.tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: -25, max: 25 }));
    fc.assert(
      fc.property(decimals, ([negative, digits, power]) => {
        const source = `${negative ? "-" : ""}${digits}e${power}`;
        expect(isExactNumber(source)).toBe(sameValue(source, String(Number(source))));
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, JsonFaultKind, string]>([
    ['{"a":1,"a":2}', "duplicate_key", "/a"],
    ['{"a":1,"\\u0061":2}', "duplicate_key", "/a"],
    ['[{"x":{"k":1,"y":2,"k":1}}]', "duplicate_key", "/0/x/k"],
    ['{"a/b":{"~":1,"~":1}}', "duplicate_key", "/a~1b/~0"],
    ['{"__proto__":1}', "forbidden_key", "/__proto__"],
    ['{"a":{"__pr\\u006fto__":{}}}', "forbidden_key", "/a/__proto__"],
    ['"\\ud800"', "lone_surrogate", ""],
    ['["a","\\udc00\\ud800"]', "lone_surrogate", "/1"],
    ['{"\\ud800":1}', "lone_surrogate", "/\ufffd"],
    ['["\ud800"]', "lone_surrogate", "/0"],
  ])("[BR 119] refuses %s as %s at %j", (text, kind, pointer) => {
    expect(scanJson(text)).toMatchObject({ kind, pointer });
  });

  test.each([
    '"\\ud83d\\ude00"',
    '"😀"',
    '{"a":1,"A":2}',
    '{"constructor":1,"toString":2}',
    '[{"a":1},{"a":1}]',
    '{"":1}',
  ])("accepts %s", (text) => {
    expect(scanJson(text)).toBeUndefined();
  });

  test("[BR 120] leaves an escaped NUL and the text that looks like one alone", () => {
    expect(scanJson('["\\u0000","\\\\u0000"]')).toBeUndefined();
    expect(scanJson('["\u0000"]')).toMatchObject({ kind: "syntax" });
  });

  test("a pointer never grows with the text: beyond 1,000 characters it stops at what encloses the fault", () => {
    expect(scanJson(`{"a":{"${"k".repeat(200_000)}":1e400}}`)).toMatchObject({ kind: "unsafe_number", pointer: "/a" });
    expect(scanJson("[".repeat(100_000))?.pointer.length).toBeLessThanOrEqual(1_000);
  });

  test("counts depth and values up to the limits and no further", () => {
    expect(scanJson("[[1]]", { maxDepth: 2 })).toBeUndefined();
    expect(scanJson("[[[1]]]", { maxDepth: 2, pointer: "/context" })).toMatchObject({
      kind: "too_deep",
      pointer: "/context/0/0",
    });
    expect(scanJson("[1,[2],3]", { maxValues: 5 })).toBeUndefined();
    expect(scanJson("[1,[2],3]", { maxValues: 4 })).toMatchObject({ kind: "too_many_values" });
    expect(scanJson("1", { maxDepth: 0, maxValues: 1 })).toBeUndefined();
  });

  test("survives a depth of 100,000, and more, without recursion", () => {
    expect(scanJson("[".repeat(100_000) + "]".repeat(100_000))).toBeUndefined();
    expect(scanJson('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000))).toBeUndefined();
    expect(scanJson("[".repeat(100_000))).toMatchObject({ kind: "syntax" });
    expect(scanJson("[".repeat(100_000), { maxDepth: 32 })).toMatchObject({
      kind: "too_deep",
      pointer: "/0".repeat(32),
    });
  });

  test.each([
    ["a million digits", "1".repeat(1_000_000)],
    ["a million zeros before a digit", `0.${"0".repeat(1_000_000)}1`],
    ["a million zeros behind one", `1${"0".repeat(1_000_000)}.0`],
    ["an exponent of a million digits", `1e${"9".repeat(1_000_000)}`],
    ["a million opened strings", `[${'"'.repeat(1_000_000)}`],
    ["a million escapes without an end", `"${"\\\\".repeat(1_000_000)}`],
    ["a million blanks", `[1,${" ".repeat(1_000_000)}`],
  ])("answers in linear time on %s", (_, text) => {
    const started = process.cpuUsage();
    expect(scanJson(text)).toBeDefined();
    // Linear takes some milliseconds; quadratic would take minutes.
    expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
  });

  test("becomes an error whose code and words tell a model what to change", () => {
    const codeOf = (text: string, options = {}): string => {
      const fault = scanJson(text, { pointer: "/context", ...options });
      if (fault === undefined) throw new Error("no fault");
      const error = faultError(fault);
      expect(error.path).toMatch(/^\/context/);
      expect(error.message.length).toBeGreaterThan(20);
      return error.code;
    };
    expect(codeOf("{")).toBe("invalid_request");
    expect(codeOf('{"a":1,"a":1}')).toBe("invalid_request");
    expect(codeOf('{"__proto__":1}')).toBe("invalid_request");
    expect(codeOf('"\\ud800"')).toBe("invalid_request");
    expect(codeOf("1e400")).toBe("unsafe_number");
    expect(codeOf("[[]]", { maxDepth: 1 })).toBe("too_large");
    expect(codeOf("[1]", { maxValues: 1 })).toBe("too_large");
  });
});

describe("taking the source text of one value", () => {
  test.each<[string, (string | number)[], string | undefined]>([
    ['{"params":{"arguments":{"context": {"n": 1.0} }}}', ["params", "arguments", "context"], '{"n": 1.0}'],
    ['[{"params":{"a":1}},{"params":{"a": 9007199254740993 }}]', [1, "params", "a"], "9007199254740993"],
    ['{"a":1,"a":"last"}', ["a"], '"last"'],
    ['{"a":{"b":1},"a":2}', ["a", "b"], undefined],
    ['{"\\u0061":"x\\"}"}', ["a"], '"x\\"}"'],
    ['{"a":null}', ["a"], "null"],
    ['{"a":[]}', ["a", 0], undefined],
    ['{"a":{}}', ["b"], undefined],
    ['{"0":1}', [0], undefined],
    ["[1,2]", ["0"], undefined],
    [" [ 1 , [ 2 ] ] ", [1], "[ 2 ]"],
    [" 7 ", [], "7"],
    ["", [], undefined],
    ['{"a":"{[,"}', ["a"], '"{[,"'],
  ])("of %s at %j is %s", (text, path, expected) => expect(sliceAt(text, path)).toBe(expected));

  test("means the value that JSON.parse reads there, in every spelling", () => {
    fc.assert(
      fc.property(jsonText, fc.array(fc.nat(20), { maxLength: 6 }), (text, turns) => {
        let value: unknown = JSON.parse(text);
        const path: (string | number)[] = [];
        for (const turn of turns) {
          if (typeof value !== "object" || value === null) break;
          const keys = Object.keys(value);
          const key = keys[turn % Math.max(1, keys.length)];
          if (key === undefined) break;
          path.push(Array.isArray(value) ? Number(key) : key);
          value = (value as Record<string, unknown>)[key];
        }
        expect(JSON.parse(sliceAt(text, path) ?? "")).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test("never throws on text that is not JSON, nor on any depth", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", "a", "1", " ") }),
        (text) => void sliceAt(text, ["a", 1, "a"]),
      ),
      { numRuns: 2000 },
    );
    expect(sliceAt("[".repeat(100_000) + "]".repeat(100_000), [0, 0, 0])).toHaveLength(199_994);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Compares two decimal numbers with whole-number arithmetic; for small exponents only. */
function sameValue(a: string, b: string): boolean {
  const [left, right] = [scaled(a), scaled(b)];
  return left === right;
}

function scaled(source: string): bigint {
  const [mantissa = "", exponent = "0"] = source.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length + 80;
  return BigInt(whole + fraction) * 10n ** BigInt(power);
}
