/** One property of a requestedSchema: a string, a number, a boolean, one choice or many. */
import { checkValue } from "./answer.ts";
import type { BooleanField, ChoiceField, ChoicesField, Field, FieldBase, NumberField, TextField } from "./form.ts";
import {
  checkKeywords,
  checkOrder,
  faulty,
  isObject,
  own,
  readAnnotation,
  readBound,
  readCount,
  type SchemaObject,
} from "./keywords.ts";
import { readListedOptions, readTitledOptions } from "./options.ts";
import { asksForSecret } from "./secret.ts";

const FORMATS = ["email", "uri", "date", "date-time"] as const;

/**
 * @param pointer The property's place, for error paths.
 * @throws ApprovalError as `readRequestedSchema` says.
 */
export function readField(name: string, value: unknown, required: boolean, pointer: string): Field {
  if (!isObject(value))
    throw faulty("invalid_request", pointer, 'A property must be an object such as {"type":"string"}.');
  const base: FieldBase = {
    name,
    title: readAnnotation(value, "title", pointer),
    description: readAnnotation(value, "description", pointer),
    required,
  };
  const field = readKind(base, value, pointer);
  if (field.default !== undefined) {
    const problem = checkValue(field, field.default);
    if (problem !== undefined)
      throw faulty("invalid_request", `${pointer}/default`, `The default breaks the field's own rule: ${problem}`);
  }
  return field;
}

function readKind(base: FieldBase, schema: SchemaObject, pointer: string): Field {
  const type = own(schema, "type");
  const listed = Object.hasOwn(schema, "enum");
  const titled = Object.hasOwn(schema, "oneOf");
  if ((type === "string" || type === undefined) && (listed || titled)) return readChoice(base, schema, listed, pointer);
  switch (type) {
    case "string":
      return readText(base, schema, pointer);
    case "number":
    case "integer":
      return readNumber(base, type, schema, pointer);
    case "boolean":
      checkKeywords(schema, ["type", "default"], pointer);
      return {
        ...base,
        kind: "boolean",
        default: readDefault(schema, isBoolean, "true or false", pointer),
      } satisfies BooleanField;
    case "array":
      return readChoices(base, schema, pointer);
    default:
      throw faulty(
        "unsupported_schema",
        type === undefined ? pointer : `${pointer}/type`,
        'A property must have "type" string, number, integer, boolean, or array (of an enum). Nested objects and other types are not supported; ask for the parts as properties of their own.',
      );
  }
}

function readText(base: FieldBase, schema: SchemaObject, pointer: string): TextField {
  checkKeywords(schema, ["type", "minLength", "maxLength", "format", "default"], pointer);
  const format = own(schema, "format");
  const known = FORMATS.find((one) => one === format);
  if (format !== undefined && known === undefined)
    throw faulty("unsupported_schema", `${pointer}/format`, `format must be one of ${FORMATS.join(", ")}.`);
  // A date is not free text: "Password expiry date" asks for no password.
  if (known !== "date" && known !== "date-time" && asksForSecret(base.name, base.title)) {
    throw faulty(
      "secret_field",
      pointer,
      "A form must not ask a person for secrets such as passwords, keys, card numbers or one-time codes. Remove this field; rename it if it asks for something else.",
    );
  }
  const minLength = readCount(schema, "minLength", 0, pointer);
  const maxLength = readCount(schema, "maxLength", 1, pointer);
  checkOrder(minLength, maxLength, "maxLength", pointer);
  return {
    ...base,
    kind: "text",
    minLength,
    maxLength,
    format: known,
    default: readDefault(schema, isString, "a string", pointer),
  };
}

function readNumber(base: FieldBase, kind: "number" | "integer", schema: SchemaObject, pointer: string): NumberField {
  checkKeywords(schema, ["type", "minimum", "maximum", "default"], pointer);
  const minimum = readBound(schema, "minimum", pointer);
  const maximum = readBound(schema, "maximum", pointer);
  checkOrder(minimum, maximum, "maximum", pointer);
  if (kind === "integer" && minimum !== undefined && maximum !== undefined)
    checkOrder(Math.ceil(minimum), Math.floor(maximum), "maximum", pointer);
  return { ...base, kind, minimum, maximum, default: readBound(schema, "default", pointer) };
}

function readChoice(base: FieldBase, schema: SchemaObject, listed: boolean, pointer: string): ChoiceField {
  checkKeywords(schema, listed ? ["type", "enum", "enumNames", "default"] : ["type", "oneOf", "default"], pointer);
  const options = listed ? readListedOptions(schema, pointer) : readTitledOptions(schema["oneOf"], `${pointer}/oneOf`);
  return { ...base, kind: "choice", options, default: readDefault(schema, isString, "one of the options", pointer) };
}

function readChoices(base: FieldBase, schema: SchemaObject, pointer: string): ChoicesField {
  checkKeywords(schema, ["type", "items", "minItems", "maxItems", "uniqueItems", "default"], pointer);
  // Doubled choices are always refused, so `true` only says what holds anyway.
  if (Object.hasOwn(schema, "uniqueItems") && schema["uniqueItems"] !== true)
    throw faulty(
      "unsupported_schema",
      `${pointer}/uniqueItems`,
      "Only true is accepted: an option can be chosen once.",
    );
  const items = own(schema, "items");
  if (!isObject(items))
    throw faulty(
      "unsupported_schema",
      `${pointer}/items`,
      'An array needs "items" with an enum of strings, or anyOf of {const, title}.',
    );
  if (Object.hasOwn(items, "type") && items["type"] !== "string")
    throw faulty("unsupported_schema", `${pointer}/items/type`, "The items of an array must be strings from an enum.");
  const titled = Object.hasOwn(items, "anyOf");
  if (!titled && !Object.hasOwn(items, "enum"))
    throw faulty(
      "unsupported_schema",
      `${pointer}/items`,
      "The items of an array must be limited by enum, or by anyOf of {const, title}.",
    );
  checkKeywords(items, titled ? ["type", "anyOf"] : ["type", "enum"], `${pointer}/items`);
  const options = titled
    ? readTitledOptions(items["anyOf"], `${pointer}/items/anyOf`)
    : readListedOptions(items, `${pointer}/items`);
  const minItems = readCount(schema, "minItems", 0, pointer);
  const maxItems = readCount(schema, "maxItems", 1, pointer);
  checkOrder(minItems, maxItems, "maxItems", pointer);
  if (minItems !== undefined && minItems > options.length)
    throw faulty(
      "invalid_request",
      `${pointer}/minItems`,
      `minItems is above the number of options (${options.length}).`,
    );
  return {
    ...base,
    kind: "choices",
    options,
    minItems,
    maxItems,
    default: readDefault(schema, isStrings, "an array of options", pointer),
  };
}

function readDefault<T>(
  schema: SchemaObject,
  is: (value: unknown) => value is T,
  what: string,
  pointer: string,
): T | undefined {
  const value = own(schema, "default");
  if (value === undefined || is(value)) return value;
  throw faulty(
    "invalid_request",
    `${pointer}/default`,
    `The default must be ${what}. Leave it out where there is none.`,
  );
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}
