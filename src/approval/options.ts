/** The options of a choice: `enum` (with the older `enumNames`), or a list of `{const, title}`. */
import type { Option } from "./form.ts";
import { checkStorable } from "./inputs.ts";
import { checkKeywords, faulty, isObject, own, readAnnotation, type SchemaObject } from "./keywords.ts";

/** Reads `enum` and, where present, as many `enumNames`. */
export function readListedOptions(schema: SchemaObject, pointer: string): readonly Option[] {
  const values = own(schema, "enum");
  const names = own(schema, "enumNames");
  if (!Array.isArray(values)) throw faulty("invalid_request", `${pointer}/enum`, "enum must be an array of strings.");
  if (names !== undefined) {
    const fits =
      Array.isArray(names) && names.length === values.length && names.every((name) => typeof name === "string");
    if (!fits)
      throw faulty(
        "invalid_request",
        `${pointer}/enumNames`,
        "enumNames must be an array with one string for each value of enum.",
      );
  }
  const options = values.map((value: unknown, index) => {
    const text = readValue(value, `${pointer}/enum/${index}`);
    return { value: text, title: (names as readonly string[] | undefined)?.[index] ?? text };
  });
  return checkOptions(options, (index) => `${pointer}/enum/${index}`, `${pointer}/enum`);
}

/** Reads `oneOf` or `anyOf` whose entries are `{const, title?}`. */
export function readTitledOptions(entries: unknown, pointer: string): readonly Option[] {
  if (!Array.isArray(entries)) throw faulty("invalid_request", pointer, "This must be an array of {const, title}.");
  const options = entries.map((entry: unknown, index) => {
    const at = `${pointer}/${index}`;
    if (!isObject(entry) || !Object.hasOwn(entry, "const"))
      throw faulty("unsupported_schema", at, 'Each entry must be {"const":"value","title":"What the person reads"}.');
    checkKeywords(entry, ["const"], at);
    const value = readValue(entry["const"], `${at}/const`);
    return { value, title: readAnnotation(entry, "title", at) ?? value };
  });
  return checkOptions(options, (index) => `${pointer}/${index}/const`, pointer);
}

function readValue(value: unknown, pointer: string): string {
  if (typeof value !== "string") throw faulty("unsupported_schema", pointer, "Options must be strings.");
  // A form posts the empty string for "nothing chosen".
  if (value === "")
    throw faulty(
      "unsupported_schema",
      pointer,
      "An option must not be the empty string: it could not be told from no answer. Make the field optional instead.",
    );
  // No page can carry it, so nobody could choose this option.
  checkStorable(value, pointer);
  return value;
}

function checkOptions(
  options: readonly Option[],
  pointerOf: (index: number) => string,
  pointer: string,
): readonly Option[] {
  if (options.length === 0) throw faulty("invalid_request", pointer, "At least one option is needed.");
  const seen = new Set<string>();
  for (const [index, { value }] of options.entries()) {
    // A browser cannot tell two options apart that differ in the kind of their line breaks.
    const posted = value.replace(/\r\n?/g, "\n");
    if (seen.has(posted))
      throw faulty("invalid_request", pointerOf(index), "This option appears twice. Keep one of them.");
    seen.add(posted);
  }
  return options;
}
