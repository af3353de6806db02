/** A form's fields, as a browser posts them and as a prepared answer fills them in again. */
import type { FormSchema, PostedAnswers } from "../approval/form.ts";
import type { JsonValue } from "../approval/json_text.ts";
import { answerName } from "../page/review.tsx";

/** By place: an agent's names may hold what a form cannot carry, or be called like our own fields. */
export function readAnswers(form: FormSchema, posted: URLSearchParams): PostedAnswers {
  const answers = new Map<string, readonly string[]>();
  for (const [index, field] of form.fields.entries()) {
    const values = posted.getAll(answerName(index));
    if (values.length > 0) answers.set(field.name, values);
  }
  return answers;
}

/** The other way: an answer that was prepared, shown in the form again to be changed. */
export function refill(answer: { readonly [name: string]: JsonValue }): PostedAnswers {
  return new Map(
    Object.entries(answer).map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(posted)]),
  );
}

/** An answer holds texts, numbers, booleans and lists of texts only. */
function posted(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
