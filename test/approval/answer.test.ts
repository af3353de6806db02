import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswer, readPosted } from "../../src/approval/answer.ts";
import { type FormSchema, readRequestedSchema } from "../../src/approval/form.ts";

function formOf(properties: object, required: readonly string[] = []): FormSchema {
  return readRequestedSchema({ type: "object", properties, required });
}

/** What a form with the one field `x` makes of its posted values: the value, "omitted", or a problem's sentence. */
function post(property: object, values: readonly string[], required = false): unknown {
  const read = readPosted(
    formOf({ x: property }, required ? ["x"] : []),
    new Map(values.length === 0 ? [] : [["x", values]]),
  );
  if (!read.ok) {
    expect(read.problems.map((problem) => problem.field)).toEqual(["x"]);
    return { problem: read.problems[0]?.message };
  }
  return "x" in read.answer ? read.answer["x"] : "omitted";
}

const problem = { problem: expect.stringMatching(/^[A-Z].{5,}[^ ]$/) };

const integer = { type: "integer" };
const number = { type: "number" };
const text = { type: "string" };
const boolean = { type: "boolean" };

describe("numbers as a browser posts them", () => {
  test.each<[string, number]>([
    ["42", 42],
    [" 7 ", 7],
    ["\t0\r\n", 0],
    ["-3", -3],
    ["9007199254740991", 9007199254740991],
    ["9007199254740994", 9007199254740994],
  ])("[BR 17] %j is the integer %d", (posted, value) => expect(post(integer, [posted])).toBe(value));

  test.each([
    "42xyz",
    "42abc",
    "1e3",
    "1e2",
    "0x10",
    "١٢",
    "1,000",
    "1 000",
    "+5",
    "3.7",
    "3.0",
    "3.",
    ".5",
    "007",
    "-0",
    "--1",
    "−5",
    "1_000",
    "NaN",
    "Infinity",
    "９",
    "9007199254740993",
    "1".repeat(400),
  ])("[BR 17] [BR 143] %j is an error for an integer, never a guess", (posted) => {
    expect(post(integer, [posted])).toEqual(problem);
    expect(post(integer, [posted], true)).toEqual(problem);
  });

  test.each<[string, number]>([
    ["3.7", 3.7],
    ["3.0", 3],
    ["0.10", 0.1],
    ["-12.5", -12.5],
    ["19.99", 19.99],
    ["1000000000000000000000", 1e21],
  ])("[BR 143] %j is the number %d", (posted, value) => expect(post(number, [posted])).toBe(value));

  test.each([
    "1e3",
    "0x10",
    "1,5",
    "1.2.3",
    "-0.0",
    "0.1000000000000000055",
    "9007199254740993",
    "1".repeat(400),
    "five",
  ])("[BR 143] %j is an error for a number", (posted) => expect(post(number, [posted])).toEqual(problem));

  test("[BR 139] [BR 140] [BR 141] a cleared number is omitted, and an error where it is required; never 0 or null", () => {
    for (const field of [integer, number, { ...number, default: 5 }]) {
      expect(post(field, [""])).toBe("omitted");
      expect(post(field, ["  "])).toBe("omitted");
      expect(post(field, [])).toBe("omitted");
      expect(post(field, [""], true)).toEqual(problem);
      expect(post(field, [], true)).toEqual(problem);
    }
  });

  test("bounds are checked, and told", () => {
    expect(post({ ...integer, minimum: 1, maximum: 3 }, ["0"])).toEqual({ problem: "Enter 1 or more." });
    expect(post({ ...integer, minimum: 1, maximum: 3 }, ["4"])).toEqual({ problem: "Enter 3 or less." });
    expect(post({ ...integer, minimum: 1, maximum: 3 }, ["3"])).toBe(3);
  });
});

describe("booleans", () => {
  test("[BR 135] [BR 136] false is an answer, also where one is required", () => {
    expect(post(boolean, ["false"], true)).toBe(false);
    expect(post(boolean, ["true"], true)).toBe(true);
    expect(post(boolean, ["false"])).toBe(false);
  });

  test("[BR 135] no choice is no answer: omitted, or an error where one is required", () => {
    for (const values of [[], [""]]) {
      expect(post(boolean, values)).toBe("omitted");
      expect(post(boolean, values, true)).toEqual(problem);
    }
  });

  test("[BR 137] required means answered, not ticked; what must be ticked cannot be asked with const", () => {
    expect(post(boolean, ["false"], true)).toBe(false);
    expect(() => formOf({ x: { ...boolean, const: true } })).toThrow(/not supported/);
  });

  test.each([["on"], ["1"], ["TRUE"], ["yes"]])("%j is an error", (posted) =>
    expect(post(boolean, [posted])).toEqual(problem),
  );

  test("two values for one field are an error", () => {
    expect(post(boolean, ["false", "true"])).toEqual(problem);
    expect(post(text, ["a", "b"])).toEqual(problem);
    expect(post(integer, ["1", "1"])).toEqual(problem);
  });
});

describe("text", () => {
  test("[BR 16] a text typed and cleared again is omitted, also below a minLength", () => {
    expect(post({ ...text, minLength: 2 }, [""])).toBe("omitted");
    expect(post({ ...text, minLength: 2, default: "abc" }, [""])).toBe("omitted");
    expect(post({ ...text, minLength: 2 }, [""], true)).toEqual(problem);
  });

  test("a default of the empty text survives", () => {
    expect(post({ ...text, default: "" }, [""])).toBe("");
    expect(post({ ...text, default: "" }, [""], true)).toBe("");
    expect(post({ ...text, default: "" }, [])).toBe("omitted");
  });

  test("text is kept as typed: blanks stay, line breaks are one character", () => {
    expect(post(text, ["  a  "])).toBe("  a  ");
    expect(post({ ...text, maxLength: 3 }, ["a\r\nb"])).toBe("a\nb");
  });

  test("length is counted in code points", () => {
    expect(post({ ...text, minLength: 2, maxLength: 2 }, ["😀😀"])).toBe("😀😀");
    expect(post({ ...text, maxLength: 2 }, ["😀😀😀"])).toEqual({ problem: "Enter at most 2 characters; this has 3." });
    expect(post({ ...text, minLength: 2 }, ["😀"])).toEqual({ problem: "Enter at least 2 characters; this has 1." });
  });

  test("[BR 119] [BR 120] NUL and half characters are refused; the text \\u0000 is only text", () => {
    expect(post(text, ["a\0b"])).toEqual(problem);
    expect(post(text, ["\ud800"])).toEqual(problem);
    expect(post(text, ["\\u0000"])).toBe("\\u0000");
  });
});

describe("formats", () => {
  const as = (format: string, posted: string): unknown => post({ ...text, format }, [posted]);

  test.each(["a@b", "name@example.com", "a.b+c@sub.example.co", "o'neil@example.org", " padded@example.com "])(
    "%j is an e-mail address",
    (posted) => expect(as("email", posted)).toBe(posted.trim()),
  );
  test.each([
    "a",
    "@b",
    "a@",
    "a@b@c",
    "a b@c.de",
    "a@-b.de",
    "a@b..de",
    "name@exa_mple.com",
    "a@b\n.de",
    `${"a".repeat(65)}@b.de`,
    `a@${"b.".repeat(150)}de`,
  ])("%j is no e-mail address", (posted) => expect(as("email", posted)).toEqual(problem));

  test.each([
    "https://example.com",
    "http://[::1]:80/a?b=c#d",
    "mailto:a@b.de",
    "urn:isbn:123",
    "https://example.com/%C3%A9",
    "javascript:alert(1)",
  ])("%j is a URI", (posted) => expect(as("uri", posted)).toBe(posted));
  test.each([
    "example.com",
    "/path",
    "//host/x",
    "https:",
    "https://",
    "https:///x",
    "http:host",
    "https://a b",
    "https://example.com/é",
    "https://example.com/%zz",
    "1http://x",
    "https://exa mple",
    "https://[1",
  ])("%j is no URI", (posted) => expect(as("uri", posted)).toEqual(problem));

  test.each(["2026-12-31", "2024-02-29", "2000-02-29", "0001-01-01", " 2026-01-01 "])(
    "[BR 145] %j is a date and stays a plain date",
    (posted) => expect(as("date", posted)).toBe(posted.trim()),
  );
  test.each([
    "2026-02-29",
    "1900-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31",
    "2026-01-00",
    "26-01-01",
    "2026-1-1",
    "31.12.2026",
    "2026-12-31T00:00:00Z",
    "+002026-01-01",
    "٢٠٢٦-01-01",
  ])("%j is no date", (posted) => expect(as("date", posted)).toEqual(problem));

  test.each([
    "2026-12-31T14:30:00Z",
    "2026-12-31T14:30:00+01:00",
    "2026-12-31T23:59:59.123456789-07:00",
    "2026-12-31t00:00:00z",
    "2024-02-29T00:00:00+05:30",
  ])("[BR 144] %j is a date-time and is kept as written", (posted) => expect(as("date-time", posted)).toBe(posted));
  test.each([
    "2026-12-31",
    "2026-12-31T14:30",
    "2026-12-31T14:30Z",
    "2026-12-31T14:30:00",
    "2026-12-31 14:30:00Z",
    "2026-12-31T24:00:00Z",
    "2026-12-31T14:60:00Z",
    "2026-12-31T23:59:60Z",
    "2026-02-30T14:30:00Z",
    "2026-12-31T14:30:00+1:00",
    "2026-12-31T14:30:00+0100",
    "2026-12-31T14:30:00+24:00",
    "2026-12-31T14:30:00+01:60",
    "2026-12-31T14:30:00Z\n2",
    "2026-12-31T14:30:00.Z",
  ])("[BR 144] [BR 196] %j is no date-time", (posted) => expect(as("date-time", posted)).toEqual(problem));

  test("[BR 147] an offset that only looks right is told the expected form", () => {
    for (const offset of ["-7:00", "+0530", "", " UTC"]) {
      expect(as("date-time", `2026-12-31T14:30:00${offset}`)).toEqual({ problem: expect.stringContaining("-07:00") });
    }
  });

  test("[BR 145] [BR 192] the machine's time zone changes nothing", () => {
    const before = process.env["TZ"];
    try {
      for (const zone of ["Pacific/Pago_Pago", "Pacific/Kiritimati", "Asia/Jakarta"]) {
        process.env["TZ"] = zone;
        expect(as("date", "2026-03-01")).toBe("2026-03-01");
        expect(as("date-time", "2026-03-01T00:30:00-11:00")).toBe("2026-03-01T00:30:00-11:00");
      }
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });
});

describe("choices", () => {
  const one = { type: "string", enum: ["a", "b\nc"] };
  const many = { type: "array", items: { type: "string", enum: ["r", "g", "b"] }, minItems: 1, maxItems: 2 };

  test("one choice is one of the options; none is no answer", () => {
    expect(post(one, ["a"])).toBe("a");
    expect(post(one, [""])).toBe("omitted");
    expect(post(one, [""], true)).toEqual(problem);
    expect(post(one, ["A"])).toEqual(problem);
    expect(post(one, ["a "])).toEqual(problem);
    expect(post(one, ["a", "a"])).toEqual(problem);
  });

  test("an option with a line break is found as a browser posts it", () => {
    expect(post(one, ["b\r\nc"])).toBe("b\nc");
  });

  test("[BR 19] of one to two choices, none and three are errors where an answer is required", () => {
    expect(post(many, [], true)).toEqual(problem);
    expect(post(many, ["r"], true)).toEqual(["r"]);
    expect(post(many, ["b", "r"], true)).toEqual(["b", "r"]);
    expect(post(many, ["r", "g", "b"], true)).toEqual(problem);
  });

  test("[BR 19] ticking nothing is omitted where it is optional, and the empty answer where it is required or the default", () => {
    const free = { type: "array", items: { type: "string", enum: ["r"] } };
    expect(post(many, [])).toBe("omitted");
    expect(post(free, [])).toBe("omitted");
    expect(post(free, [""], true)).toEqual([]);
    expect(post({ ...free, default: [] }, [])).toEqual([]);
    expect(post({ ...free, default: ["r"] }, [])).toBe("omitted");
  });

  test("doubled and unknown choices are errors", () => {
    expect(post(many, ["r", "r"])).toEqual(problem);
    expect(post(many, ["r", "x"])).toEqual(problem);
  });
});

describe("the answer as a whole", () => {
  test("[BR 13] a form with nothing required and nothing filled in has an empty answer", () => {
    expect(
      readPosted(
        formOf({ a: text, b: text }),
        new Map([
          ["a", [""]],
          ["b", [""]],
        ]),
      ),
    ).toEqual({ ok: true, answer: {} });
  });

  test("[BR 5] an empty answer never passes where something is required", () => {
    expect(readAnswer(formOf({ scoops: { type: "integer", minimum: 1, maximum: 3 } }, ["scoops"]), {})).toMatchObject({
      ok: false,
      problems: [{ field: "scoops" }],
    });
  });

  test("all problems are told at once, in the order of the form", () => {
    const read = readPosted(formOf({ a: integer, b: boolean, c: text }, ["a", "b", "c"]), new Map([["a", ["x"]]]));
    expect(read).toMatchObject({ ok: false, problems: [{ field: "a" }, { field: "b" }, { field: "c" }] });
  });

  test("members stand in the schema's order; posted names outside the schema are ignored", () => {
    const read = readPosted(
      formOf({ z: text, a: integer }),
      new Map([
        ["csrf", ["t"]],
        ["__proto__", ["p"]],
        ["a", ["1"]],
        ["z", ["y"]],
      ]),
    );
    expect(JSON.stringify(read)).toBe('{"ok":true,"answer":{"z":"y","a":1}}');
  });

  test("names that every object inherits are read from the answer itself", () => {
    const form = formOf({ constructor: text, toString: text });
    expect(readPosted(form, new Map())).toEqual({ ok: true, answer: {} });
    expect(readAnswer(form, {})).toEqual({ ok: true, answer: {} });
    const read = readPosted(form, new Map([["constructor", ["c"]]]));
    expect(JSON.stringify(read)).toBe('{"ok":true,"answer":{"constructor":"c"}}');
  });

  test("an answer given as JSON is held to types, and to the form's own fields", () => {
    const form = formOf({ n: integer, b: boolean, t: text, m: { type: "array", items: { enum: ["r"] } } });
    expect(readAnswer(form, { n: 0, b: false, t: "x", m: [] })).toEqual({
      ok: true,
      answer: { n: 0, b: false, t: "x", m: [] },
    });
    expect(readAnswer(form, { n: null, t: "" })).toEqual({ ok: true, answer: {} });
    expect(JSON.stringify(readAnswer(form, { n: -0 }))).toBe('{"ok":true,"answer":{"n":0}}');
    for (const value of [
      { n: "1" },
      { n: 1.5 },
      { n: Infinity },
      { b: "true" },
      { b: 0 },
      { t: 1 },
      { m: "r" },
      { m: [1] },
      { m: ["r", "r"] },
      { other: 1 },
      [],
      null,
      "x",
      JSON.parse('{"__proto__":1}'),
    ]) {
      expect(readAnswer(form, value).ok).toBe(false);
    }
  });
});

describe("any form and anything posted", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "constructor", "x"), minLength: 1, maxLength: 3 });
  const property = fc.oneof(
    fc.record(
      {
        type: fc.constant("string"),
        maxLength: fc.integer({ min: 1, max: 5 }),
        format: fc.constantFrom("email", "uri", "date", "date-time"),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constant("string"), default: fc.constantFrom("", "abc") }, { requiredKeys: ["type"] }),
    fc.record(
      {
        type: fc.constantFrom("integer", "number"),
        minimum: fc.integer({ min: -5, max: 0 }),
        maximum: fc.integer({ min: 1, max: 5 }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constant("boolean"), default: fc.boolean() }, { requiredKeys: ["type"] }),
    fc.constant({ type: "string", enum: ["a", "b", "1\n2"] }),
    fc.record(
      {
        type: fc.constant("array"),
        items: fc.constant({ enum: ["a", "b", "c"] }),
        minItems: fc.nat(2),
        maxItems: fc.integer({ min: 2, max: 3 }),
        default: fc.constantFrom(["a", "b"]),
      },
      { requiredKeys: ["type", "items"] },
    ),
  );
  const form = fc
    .dictionary(name, property, { minKeys: 1, maxKeys: 4, noNullPrototype: true })
    .chain((properties) => fc.subarray(Object.keys(properties)).map((required) => formOf(properties, required)));
  const posted = fc.oneof(
    fc.constantFrom(
      "",
      "a",
      "b",
      "c",
      "true",
      "false",
      "1",
      "0",
      "-0",
      "3.5",
      "1\r\n2",
      "2026-01-01",
      "2026-01-01T00:00:00Z",
      "a@b",
      "x:y",
      "9007199254740993",
    ),
    fc.string({ unit: "binary" }),
  );

  test("never give an answer that the schema refuses, nor another one when read again", () => {
    let answered = 0;
    fc.assert(
      fc.property(
        form.chain((schema) =>
          fc.tuple(
            fc.constant(schema),
            fc.array(fc.array(posted, { maxLength: 3 }), {
              minLength: schema.fields.length,
              maxLength: schema.fields.length,
            }),
          ),
        ),
        ([schema, values]) => {
          const read = readPosted(
            schema,
            new Map(schema.fields.map((field, index) => [field.name, values[index] ?? []])),
          );
          if (!read.ok) {
            expect(read.problems.length).toBeGreaterThan(0);
            return;
          }
          answered += 1;
          expect(readAnswer(schema, JSON.parse(JSON.stringify(read.answer)))).toEqual(read);
          for (const field of schema.fields)
            if (field.required) expect(Object.hasOwn(read.answer, field.name)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
    expect(answered).toBeGreaterThan(100);
  });
});
