/**
 * The requestedSchema subset of MCP elicitation: what a form may ask.
 *
 * Source: MCP 2026-07-28, client/elicitation; narrowed by what this product enforces. A keyword that would
 * constrain an answer and that nothing here checks is refused, never ignored. Answers are read in `answer.ts`,
 * one property in `field.ts`.
 */
import { ApprovalError } from "./errors.ts";
import { readField } from "./field.ts";
import { hasHidden } from "./hidden.ts";
import { escapeKey, faultError, type JsonValue, scanJson } from "./json_text.ts";
import { checkKeywords, faulty, isObject, readAnnotation } from "./keywords.ts";

export interface FieldBase {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly required: boolean;
}

export interface Option {
  readonly value: string;
  /** What the page shows beside the value; the value itself when the schema gives no title. */
  readonly title: string;
}

export type TextField = FieldBase & {
  readonly kind: "text";
  /** In code points. */
  readonly minLength: number | undefined;
  /** In code points. */
  readonly maxLength: number | undefined;
  readonly format: "email" | "uri" | "date" | "date-time" | undefined;
  readonly default: string | undefined;
};

export type NumberField = FieldBase & {
  readonly kind: "number" | "integer";
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly default: number | undefined;
};

export type BooleanField = FieldBase & { readonly kind: "boolean"; readonly default: boolean | undefined };

export type ChoiceField = FieldBase & {
  readonly kind: "choice";
  readonly options: readonly Option[];
  readonly default: string | undefined;
};

export type ChoicesField = FieldBase & {
  readonly kind: "choices";
  readonly options: readonly Option[];
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly default: readonly string[] | undefined;
};

export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField;

export interface FormSchema {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** 1 to 50, in the order of the schema (names that look like array indices come first). */
  readonly fields: readonly Field[];
}

/** Raw answers as a browser posts them: each field's values in order; a field that was not posted is absent. */
export type PostedAnswers = ReadonlyMap<string, readonly string[]>;

export interface FieldProblem {
  readonly field: string;
  /** A sentence for the reviewer that tells the expected form. */
  readonly message: string;
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: { readonly [name: string]: JsonValue } }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

const MAX_PROPERTIES = 50;
const MAX_BYTES = 65_536;
const MAX_DEPTH = 32;

/**
 * Checks a requestedSchema (at most 64 KiB as UTF-8 JSON) and reads the form from it.
 *
 * @param value The parsed schema.
 * @param pointer Where it stands in the tool's arguments, for error paths.
 * @throws ApprovalError `unsupported_schema` for what is outside the subset, `invalid_request` for a schema that
 * contradicts itself, `secret_field`, `unsafe_number`, `too_large`; each with the path of the keyword.
 */
export function readRequestedSchema(value: unknown, pointer = "/requestedSchema"): FormSchema {
  if (!isObject(value))
    throw faulty(
      "invalid_request",
      pointer,
      'requestedSchema must be an object such as {"type":"object","properties":{…}}, not a string or an array.',
    );
  schemaText(value, pointer);
  checkKeywords(value, ["type", "properties", "required", "additionalProperties"], pointer);
  if (value["type"] !== "object")
    throw faulty("unsupported_schema", `${pointer}/type`, 'The schema itself must have "type":"object".');
  if (Object.hasOwn(value, "additionalProperties") && value["additionalProperties"] !== false) {
    throw faulty(
      "unsupported_schema",
      `${pointer}/additionalProperties`,
      "Only false is accepted here; every answer is limited to the named properties.",
    );
  }
  const properties = value["properties"];
  if (!isObject(properties))
    throw faulty("invalid_request", `${pointer}/properties`, "properties must be an object that names the fields.");
  const names = Object.keys(properties);
  if (names.length === 0)
    throw faulty(
      "unsupported_schema",
      `${pointer}/properties`,
      "A form needs at least one property. For a plain yes or no, send context without requestedSchema.",
    );
  if (names.length > MAX_PROPERTIES)
    throw faulty("too_large", `${pointer}/properties`, `A form may have at most ${MAX_PROPERTIES} properties.`);
  const required = readRequired(value["required"], properties, `${pointer}/required`);
  return {
    title: readAnnotation(value, "title", pointer),
    description: readAnnotation(value, "description", pointer),
    fields: names.map((name) => {
      const at = `${pointer}/properties/${escapeKey(name)}`;
      checkName(name, at);
      return readField(name, properties[name], required.has(name), at);
    }),
  };
}

/** The schema as the JSON text that is stored; throws where it is too large or holds what JSON cannot carry. */
export function schemaText(value: object, pointer = "/requestedSchema"): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ApprovalError(
      "too_large",
      "requestedSchema is nested too deep. A form is flat: one level of properties.",
      { path: pointer, cause },
    );
  }
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw faulty(
      "too_large",
      pointer,
      "requestedSchema is larger than 64 KiB. Ask for less, or shorten titles and options.",
    );
  const fault = scanJson(text, { pointer, maxDepth: MAX_DEPTH });
  if (fault !== undefined) throw faultError(fault);
  return text;
}

function readRequired(value: unknown, properties: object, pointer: string): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (!Array.isArray(value)) throw faulty("invalid_request", pointer, "required must be an array of property names.");
  const names = new Set<string>();
  for (const [index, name] of value.entries()) {
    const at = `${pointer}/${index}`;
    if (typeof name !== "string" || !Object.hasOwn(properties, name))
      throw faulty("invalid_request", at, "This is not the name of one of the properties.");
    if (names.has(name)) throw faulty("invalid_request", at, "This name stands in required twice.");
    names.add(name);
  }
  return names;
}

/** A browser drops a field without a name and rewrites line breaks in one; hidden characters would let two look alike. */
function checkName(name: string, pointer: string): void {
  if (name === "") throw faulty("invalid_request", pointer, "A property needs a name.");
  if (hasHidden(name) || /[\t\n]/.test(name))
    throw faulty(
      "invalid_request",
      pointer,
      "A property name must not hold hidden or reordering characters or line breaks.",
    );
}
