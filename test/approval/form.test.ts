import { describe, expect, test } from "vitest";
import type { Field } from "../../src/approval/form.ts";
import { readRequestedSchema } from "../../src/approval/form.ts";
import { refusalOf } from "./refusal.ts";

function object(properties: object, more: object = {}): object {
  return { type: "object", properties, ...more };
}

/** The field read from one property called `x`. */
function fieldOf(property: unknown): Field {
  const [field] = readRequestedSchema(object({ x: property })).fields;
  if (field === undefined) throw new Error("no field");
  return field;
}

describe("reading a requestedSchema", () => {
  test("reads every kind of the MCP subset, with titles, bounds and defaults", () => {
    const form = readRequestedSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "urn:x",
      $comment: "none",
      type: "object",
      title: "Deploy",
      description: "Where and when",
      examples: [{}],
      additionalProperties: false,
      required: ["who", "many"],
      properties: {
        who: { type: "string", title: "Who", description: "Name", minLength: 2, maxLength: 9, default: "Ann" },
        mail: { type: "string", format: "email" },
        site: { type: "string", format: "uri" },
        day: { type: "string", format: "date", default: "2026-02-28" },
        at: { type: "string", format: "date-time" },
        n: { type: "number", minimum: -1.5, maximum: 2.5, default: 0 },
        i: { type: "integer", minimum: 1, maximum: 3, examples: [2] },
        b: { type: "boolean", default: false },
        one: { type: "string", enum: ["a", "b"], default: "b" },
        old: { type: "string", enum: ["a", "b"], enumNames: ["Apple", "Pear"] },
        titled: { type: "string", oneOf: [{ const: "p", title: "Production" }, { const: "s" }] },
        many: {
          type: "array",
          minItems: 1,
          maxItems: 2,
          uniqueItems: true,
          items: { type: "string", enum: ["r", "g", "b"] },
          default: ["r"],
        },
        manyTitled: { type: "array", items: { anyOf: [{ const: "r", title: "Red" }] }, default: [] },
      },
    });
    expect(form).toMatchObject({ title: "Deploy", description: "Where and when" });
    expect(form.fields.map((field) => [field.name, field.kind, field.required])).toEqual([
      ["who", "text", true],
      ["mail", "text", false],
      ["site", "text", false],
      ["day", "text", false],
      ["at", "text", false],
      ["n", "number", false],
      ["i", "integer", false],
      ["b", "boolean", false],
      ["one", "choice", false],
      ["old", "choice", false],
      ["titled", "choice", false],
      ["many", "choices", true],
      ["manyTitled", "choices", false],
    ]);
    expect(form.fields[0]).toEqual({
      name: "who",
      title: "Who",
      description: "Name",
      required: true,
      kind: "text",
      minLength: 2,
      maxLength: 9,
      format: undefined,
      default: "Ann",
    });
    expect(form.fields[9]).toMatchObject({
      options: [
        { value: "a", title: "Apple" },
        { value: "b", title: "Pear" },
      ],
    });
    expect(form.fields[10]).toMatchObject({
      options: [
        { value: "p", title: "Production" },
        { value: "s", title: "s" },
      ],
    });
  });

  test("[BR 20] a titled single choice is read without type: string", () => {
    expect(fieldOf({ oneOf: [{ const: "a", title: "A" }] })).toMatchObject({
      kind: "choice",
      options: [{ value: "a", title: "A" }],
    });
    expect(fieldOf({ enum: ["a"] })).toMatchObject({ kind: "choice" });
  });

  test("falsy defaults are read as defaults", () => {
    expect(fieldOf({ type: "integer", default: 0 }).default).toBe(0);
    expect(fieldOf({ type: "boolean", default: false }).default).toBe(false);
    expect(fieldOf({ type: "string", default: "" }).default).toBe("");
    expect(fieldOf({ type: "array", items: { enum: ["a"] }, default: [] }).default).toEqual([]);
  });

  test.each<[string, unknown, string, string]>([
    ["no object", "text", "invalid_request", ""],
    ["an array", [], "invalid_request", ""],
    ["no type", { properties: { x: { type: "string" } } }, "unsupported_schema", "/type"],
    ["another type", { type: "array" }, "unsupported_schema", "/type"],
    ["no properties", { type: "object" }, "invalid_request", "/properties"],
    ["empty properties", object({}), "unsupported_schema", "/properties"],
    [
      "51 properties",
      object(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, { type: "boolean" }]))),
      "too_large",
      "/properties",
    ],
    ["64 KiB of text", object({ x: { type: "string", description: "é".repeat(33_000) } }), "too_large", ""],
    [
      "additional properties",
      object({ x: { type: "string" } }, { additionalProperties: true }),
      "unsupported_schema",
      "/additionalProperties",
    ],
    ["allOf at the root", object({ x: { type: "string" } }, { allOf: [] }), "unsupported_schema", "/allOf"],
    ["$defs", object({ x: { type: "string" } }, { $defs: {} }), "unsupported_schema", "/$defs"],
    ["a key with a slash", object({ x: { type: "string" } }, { "a/b": 1 }), "unsupported_schema", "/a~1b"],
    ["required that is no array", object({ x: { type: "string" } }, { required: "x" }), "invalid_request", "/required"],
    [
      "required naming nothing",
      object({ x: { type: "string" } }, { required: ["x", "y"] }),
      "invalid_request",
      "/required/1",
    ],
    [
      "required naming a member of the prototype",
      object({ x: { type: "string" } }, { required: ["toString"] }),
      "invalid_request",
      "/required/0",
    ],
    [
      "required naming one twice",
      object({ x: { type: "string" } }, { required: ["x", "x"] }),
      "invalid_request",
      "/required/1",
    ],
    ["a title that is no string", object({ x: { type: "string" } }, { title: 1 }), "invalid_request", "/title"],
    [
      "the property name __proto__",
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
      "invalid_request",
      "/properties/__proto__",
    ],
    ["an empty property name", object({ "": { type: "string" } }), "invalid_request", "/properties/"],
    [
      "a hidden character in a name",
      object({ "a\u200bb": { type: "string" } }),
      "invalid_request",
      "/properties/a\u200bb",
    ],
    ["a line break in a name", object({ "a\nb": { type: "string" } }), "invalid_request", "/properties/a\nb"],
    [
      "a lone surrogate in a title",
      object({ x: { type: "string", title: "\ud800" } }),
      "invalid_request",
      "/properties/x/title",
    ],
  ])("refuses %s, with its path", (_, schema, code, path) => {
    expect(refusalOf(() => readRequestedSchema(schema))).toMatchObject({ code, path: `/requestedSchema${path}` });
  });

  test.each<[string, unknown, string, string]>([
    ["no object", true, "invalid_request", ""],
    ["no type", {}, "unsupported_schema", ""],
    ["several types", { type: ["string", "null"] }, "unsupported_schema", "/type"],
    ["type null", { type: "null" }, "unsupported_schema", "/type"],
    ["nesting", { type: "object", properties: {} }, "unsupported_schema", "/type"],
    ["$ref", { $ref: "#/x" }, "unsupported_schema", ""],
    ["$ref beside a type", { type: "string", $ref: "#/x" }, "unsupported_schema", "/$ref"],
    ["pattern", { type: "string", pattern: "^a" }, "unsupported_schema", "/pattern"],
    ["const", { type: "boolean", const: true }, "unsupported_schema", "/const"],
    ["not", { type: "string", not: {} }, "unsupported_schema", "/not"],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, "unsupported_schema", "/exclusiveMinimum"],
    ["multipleOf", { type: "integer", multipleOf: 2 }, "unsupported_schema", "/multipleOf"],
    ["an unknown keyword", { type: "string", readOnly: true }, "unsupported_schema", "/readOnly"],
    ["a keyword of another type", { type: "boolean", minLength: 1 }, "unsupported_schema", "/minLength"],
    ["an unknown format", { type: "string", format: "uuid" }, "unsupported_schema", "/format"],
    ["a negative minLength", { type: "string", minLength: -1 }, "invalid_request", "/minLength"],
    ["a broken maxLength", { type: "string", maxLength: 1.5 }, "invalid_request", "/maxLength"],
    ["minLength above maxLength", { type: "string", minLength: 3, maxLength: 2 }, "invalid_request", "/maxLength"],
    ["a minimum that is a string", { type: "number", minimum: "1" }, "invalid_request", "/minimum"],
    ["minimum above maximum", { type: "number", minimum: 3, maximum: 2 }, "invalid_request", "/maximum"],
    [
      "bounds with no whole number between",
      { type: "integer", minimum: 1.2, maximum: 1.8 },
      "invalid_request",
      "/maximum",
    ],
    ["a bound that was rounded", { type: "integer", maximum: 9007199254740993 }, "unsafe_number", "/maximum"],
    ["a default of another type", { type: "string", default: 1 }, "invalid_request", "/default"],
    ["a default of null", { type: "string", default: null }, "invalid_request", "/default"],
    ["a default that is too short", { type: "string", minLength: 2, default: "" }, "invalid_request", "/default"],
    [
      "a default that is no date",
      { type: "string", format: "date", default: "2026-02-30" },
      "invalid_request",
      "/default",
    ],
    ["a default out of bounds", { type: "integer", maximum: 2, default: 3 }, "invalid_request", "/default"],
    ["a broken integer default", { type: "integer", default: 1.5 }, "invalid_request", "/default"],
    ["a default that is no option", { type: "string", enum: ["a"], default: "b" }, "invalid_request", "/default"],
    ["a boolean default in words", { type: "boolean", default: "false" }, "invalid_request", "/default"],
    ["an empty enum", { type: "string", enum: [] }, "invalid_request", "/enum"],
    ["an enum that is no array", { type: "string", enum: "a" }, "invalid_request", "/enum"],
    ["a doubled enum value", { type: "string", enum: ["a", "b", "a"] }, "invalid_request", "/enum/2"],
    ["options that differ in line breaks only", { enum: ["a\nb", "a\r\nb"] }, "invalid_request", "/enum/1"],
    ["a number in an enum", { type: "string", enum: ["a", 1] }, "unsupported_schema", "/enum/1"],
    ["an empty option", { type: "string", enum: [""] }, "unsupported_schema", "/enum/0"],
    ["enumNames of another length", { type: "string", enum: ["a"], enumNames: [] }, "invalid_request", "/enumNames"],
    ["enum and oneOf together", { type: "string", enum: ["a"], oneOf: [] }, "unsupported_schema", "/oneOf"],
    ["an empty oneOf", { oneOf: [] }, "invalid_request", "/oneOf"],
    ["a oneOf entry without const", { oneOf: [{ type: "string" }] }, "unsupported_schema", "/oneOf/0"],
    [
      "a oneOf entry that constrains",
      { oneOf: [{ const: "a", pattern: "a" }] },
      "unsupported_schema",
      "/oneOf/0/pattern",
    ],
    [
      "a doubled const",
      {
        oneOf: [
          { const: "a", title: "A" },
          { const: "a", title: "B" },
        ],
      },
      "invalid_request",
      "/oneOf/1/const",
    ],
    ["an array without items", { type: "array" }, "unsupported_schema", "/items"],
    ["an array of free strings", { type: "array", items: { type: "string" } }, "unsupported_schema", "/items"],
    [
      "an array of objects",
      { type: "array", items: { type: "object", properties: {} } },
      "unsupported_schema",
      "/items/type",
    ],
    [
      "a constraint on items",
      { type: "array", items: { type: "string", enum: ["a"], minLength: 1 } },
      "unsupported_schema",
      "/items/minLength",
    ],
    ["contains", { type: "array", items: { enum: ["a"] }, contains: {} }, "unsupported_schema", "/contains"],
    [
      "doubled choices allowed",
      { type: "array", items: { enum: ["a"] }, uniqueItems: false },
      "unsupported_schema",
      "/uniqueItems",
    ],
    [
      "minItems above maxItems",
      { type: "array", items: { enum: ["a", "b"] }, minItems: 2, maxItems: 1 },
      "invalid_request",
      "/maxItems",
    ],
    [
      "minItems above the options",
      { type: "array", items: { enum: ["a"] }, minItems: 2 },
      "invalid_request",
      "/minItems",
    ],
    [
      "a doubled default",
      { type: "array", items: { enum: ["a", "b"] }, default: ["a", "a"] },
      "invalid_request",
      "/default",
    ],
    [
      "a default with a stranger",
      { type: "array", items: { enum: ["a"] }, default: ["b"] },
      "invalid_request",
      "/default",
    ],
    [
      "a default that is no array",
      { type: "array", items: { enum: ["a"] }, default: "a" },
      "invalid_request",
      "/default",
    ],
  ])("refuses a property with %s, with its path", (_, property, code, path) => {
    expect(refusalOf(() => fieldOf(property))).toMatchObject({ code, path: `/requestedSchema/properties/x${path}` });
  });

  test("every refusal says something to change, and names with a slash or tilde are escaped in the path", () => {
    const refusal = refusalOf(() => readRequestedSchema(object({ "a/b~c": { type: "string", pattern: "x" } })));
    expect(refusal.path).toBe("/requestedSchema/properties/a~1b~0c/pattern");
    expect(refusal.message).toMatch(/Remove it/);
  });

  test("names that every object inherits are plain names", () => {
    const form = readRequestedSchema(
      object({ constructor: { type: "string" }, toString: { type: "boolean" }, hasOwnProperty: { type: "integer" } }),
    );
    expect(form.fields.map((field) => field.name)).toEqual(["constructor", "toString", "hasOwnProperty"]);
  });

  test("a schema nested 100,000 deep is refused, not a crash", () => {
    const deep = JSON.parse('{"x":'.repeat(5_000) + "1" + "}".repeat(5_000)) as object;
    expect(refusalOf(() => readRequestedSchema(object({ x: { type: "string", examples: [deep] } }))).code).toBe(
      "too_large",
    );
    const deeper = JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as object;
    expect(refusalOf(() => readRequestedSchema(object({ x: { type: "string", examples: deeper } }))).code).toBe(
      "too_large",
    );
  });
});

describe("fields that ask for secrets", () => {
  test.each([
    "password",
    "userPassword",
    "new_password",
    "Password2",
    "passphrase",
    "client-secret",
    "apiKey",
    "api_key",
    "APIKey",
    "apikey",
    "accessToken",
    "private_key",
    "cardNumber",
    "card number",
    "cvv",
    "pin",
    "PIN",
    "one-time-code",
    "oneTimeCode",
    "ssn",
    "user.ssn",
    "userPINCode",
  ])("a text field named %s is refused", (name) =>
    expect(refusalOf(() => readRequestedSchema(object({ [name]: { type: "string" } }))).code).toBe("secret_field"),
  );

  test.each([
    "Your password",
    "API key",
    "Card  number",
    "PIN:",
    "One-time code",
    "pass\u00adword",
    "ｐａｓｓｗｏｒｄ",
    "Access\u00a0token",
    "(secret)",
  ])("a text field titled %j is refused", (title) =>
    expect(refusalOf(() => fieldOf({ type: "string", title }))).toMatchObject({
      code: "secret_field",
      path: "/requestedSchema/properties/x",
    }),
  );

  test.each([
    "max_tokens",
    "primary_key",
    "keyResults",
    "pinned",
    "shipping",
    "spin",
    "secretary",
    "passwordless",
    "cardholder",
    "key",
    "token",
    "code",
    "onetime",
    "apiKeys2do",
  ])("a text field named %s passes", (name) => {
    expect(readRequestedSchema(object({ [name]: { type: "string", title: "Key results" } })).fields).toHaveLength(1);
  });

  test("only free text is refused: choices, numbers, booleans and dates cannot hold a secret", () => {
    for (const property of [
      { type: "boolean" },
      { type: "integer" },
      { type: "string", enum: ["rotate", "keep"] },
      { type: "string", format: "date" },
    ]) {
      expect(readRequestedSchema(object({ password: property })).fields).toHaveLength(1);
    }
    expect(refusalOf(() => readRequestedSchema(object({ password: { type: "string", format: "uri" } }))).code).toBe(
      "secret_field",
    );
  });
});
