/**
 * Reading an answer to a form: always against the stored schema, whatever a page or a host checked before.
 *
 * One rule for both ways in: a field left untouched is omitted, a field that must be answered and is not is a
 * problem, and nothing is guessed from a form that is nearly right.
 */
import { formatProblem } from "./formats.ts";
import type {
  ChoiceField,
  ChoicesField,
  Field,
  FieldProblem,
  FormSchema,
  NumberField,
  PostedAnswers,
  ReadAnswer,
  TextField,
} from "./form.ts";
import type { JsonValue } from "./json_text.ts";
import { isExactNumber } from "./number_text.ts";

type FieldAnswer = { readonly value: JsonValue } | { readonly problem: string } | "untouched";

const PLAIN_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const NOT_LISTED = "Choose one of the listed options.";

/** Reads what a browser posted. Names outside the schema are ignored; the answer's members are in the schema's order. */
export function readPosted(schema: FormSchema, posted: PostedAnswers): ReadAnswer {
  return collect(schema, (field) => readPostedField(field, posted.get(field.name) ?? []));
}

/** Reads an answer given as JSON. Null is "untouched"; a member that is no field of the form is a problem. */
export function readAnswer(schema: FormSchema, value: unknown): ReadAnswer {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      ok: false,
      problems: [{ field: "", message: "The answer must be an object with one member for each field." }],
    };
  }
  const given = value as { readonly [name: string]: unknown };
  const names = new Set(schema.fields.map((field) => field.name));
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  const read = collect(schema, (field) =>
    readJsonField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined),
  );
  if (unknown.length === 0) return read;
  const strangers = unknown.map((field) => ({ field, message: "The form has no such field." }));
  return { ok: false, problems: read.ok ? strangers : [...read.problems, ...strangers] };
}

/** What is wrong with a value of the field's own type, as a sentence; undefined when nothing is. */
export function checkValue(field: Field, value: JsonValue): string | undefined {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? checkText(field, value) : "Enter text.";
    case "number":
    case "integer":
      return typeof value === "number" ? checkNumber(field, value) : "Enter a number.";
    case "boolean":
      return typeof value === "boolean" ? undefined : "Choose yes or no.";
    case "choice":
      return field.options.some((option) => option.value === value) ? undefined : NOT_LISTED;
    case "choices":
      return Array.isArray(value)
        ? checkChoices(field, value as readonly JsonValue[])
        : "Choose from the listed options.";
  }
}

function collect(schema: FormSchema, read: (field: Field) => FieldAnswer): ReadAnswer {
  const problems: FieldProblem[] = [];
  // No field is called __proto__, so plain assignment makes own members.
  const answer: { [name: string]: JsonValue } = {};
  for (const field of schema.fields) {
    const one = read(field);
    if (one === "untouched") {
      if (field.required) problems.push({ field: field.name, message: missing(field) });
    } else if ("problem" in one) problems.push({ field: field.name, message: one.problem });
    else answer[field.name] = one.value;
  }
  return problems.length === 0 ? { ok: true, answer } : { ok: false, problems };
}

function missing(field: Field): string {
  switch (field.kind) {
    case "boolean":
      return "Choose yes or no.";
    case "choice":
      return NOT_LISTED;
    case "choices":
      return "Choose from the listed options.";
    default:
      return "Fill in this field.";
  }
}

function readPostedField(field: Field, values: readonly string[]): FieldAnswer {
  if (field.kind === "choices") return readPostedChoices(field, values);
  if (values.length > 1) return { problem: "Give one value only." };
  const posted = values[0];
  if (posted === undefined) return "untouched";
  switch (field.kind) {
    case "text":
      return readText(field, field.format === undefined ? unixLines(posted) : trimBlanks(posted));
    case "number":
    case "integer":
      return readPostedNumber(field, trimBlanks(posted));
    case "boolean":
      if (posted === "") return "untouched";
      return posted === "true" || posted === "false" ? { value: posted === "true" } : { problem: "Choose yes or no." };
    case "choice":
      return posted === "" ? "untouched" : checked(field, postedOptions(field).get(unixLines(posted)) ?? posted);
  }
}

/** Ticking nothing is an answer where one is required or where the schema's default says so; elsewhere it is no answer. */
function readPostedChoices(field: ChoicesField, values: readonly string[]): FieldAnswer {
  const options = postedOptions(field);
  const chosen = values.filter((value) => value !== "").map((value) => options.get(unixLines(value)) ?? value);
  if (chosen.length === 0 && !field.required && field.default?.length !== 0) return "untouched";
  return checked(field, chosen);
}

function readPostedNumber(field: NumberField, posted: string): FieldAnswer {
  if (posted === "") return "untouched";
  if (!PLAIN_NUMBER.test(posted)) return { problem: numberForm(field) };
  if (field.kind === "integer" && posted.includes(".")) return { problem: numberForm(field) };
  const value = Number(posted);
  if (value === 0 && posted.startsWith("-")) return { problem: "Write 0 without a minus sign." };
  if (!isExactNumber(posted))
    return { problem: "This number has more digits than can be kept exactly. Use fewer digits." };
  return checked(field, value);
}

function readJsonField(field: Field, value: unknown): FieldAnswer {
  if (value === undefined || value === null) return "untouched";
  if (field.kind === "text" && typeof value === "string") return readText(field, value);
  // Minus zero is written 0 in JSON; say the same here.
  return checked(field, (value === 0 ? 0 : value) as JsonValue);
}

/** Cleared and never touched look the same, so an empty text is an answer only where the schema's default is one. */
function readText(field: TextField, text: string): FieldAnswer {
  return text === "" && field.default !== "" ? "untouched" : checked(field, text);
}

function checked(field: Field, value: JsonValue): FieldAnswer {
  const problem = checkValue(field, value);
  return problem === undefined ? { value } : { problem };
}

function checkText(field: TextField, text: string): string | undefined {
  if (!text.isWellFormed() || text.includes("\0"))
    return "This text holds a character that cannot be stored. Type it again without pasting.";
  // Code points, as JSON Schema counts.
  const length = Array.from(text).length;
  if (field.minLength !== undefined && length < field.minLength)
    return `Enter at least ${counted(field.minLength, "character")}; this has ${length}.`;
  if (field.maxLength !== undefined && length > field.maxLength)
    return `Enter at most ${counted(field.maxLength, "character")}; this has ${length}.`;
  return field.format === undefined ? undefined : formatProblem(field.format, text);
}

function checkNumber(field: NumberField, value: number): string | undefined {
  if (!Number.isFinite(value)) return "Enter a number that can be kept exactly.";
  if (field.kind === "integer" && !Number.isInteger(value)) return numberForm(field);
  if (field.minimum !== undefined && value < field.minimum) return `Enter ${field.minimum} or more.`;
  if (field.maximum !== undefined && value > field.maximum) return `Enter ${field.maximum} or less.`;
  return undefined;
}

function checkChoices(field: ChoicesField, values: readonly JsonValue[]): string | undefined {
  const options: ReadonlySet<JsonValue> = new Set(field.options.map((option) => option.value));
  if (!values.every((value) => options.has(value))) return "Choose from the listed options only.";
  if (new Set(values).size !== values.length) return "Choose each option once.";
  if (field.minItems !== undefined && values.length < field.minItems)
    return `Choose at least ${counted(field.minItems, "option")}.`;
  if (field.maxItems !== undefined && values.length > field.maxItems)
    return `Choose at most ${counted(field.maxItems, "option")}.`;
  return undefined;
}

/** The options by what a browser posts for them: it writes each line break as CR LF, whatever the option has. */
function postedOptions(field: ChoiceField | ChoicesField): ReadonlyMap<string, string> {
  return new Map(field.options.map(({ value }) => [unixLines(value), value]));
}

function numberForm(field: NumberField): string {
  return field.kind === "integer"
    ? "Enter a whole number in plain digits, for example 42 or -7."
    : "Enter a number in plain digits with a point, for example 12.5 or -3.";
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function unixLines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Without ASCII blanks at either end. */
function trimBlanks(text: string): string {
  let first = 0;
  let last = text.length;
  while (first < last && " \t\r\n".includes(text.charAt(first))) first += 1;
  while (last > first && " \t\r\n".includes(text.charAt(last - 1))) last -= 1;
  return text.slice(first, last);
}
