/**
 * The requestedSchema subset of MCP elicitation: what a form may ask, and how an answer to it is read.
 *
 * Source: MCP 2026-07-28, client/elicitation; narrowed by what this product enforces. STUB: types only until built.
 */
import type { JsonValue } from "./json_text.ts";

interface FieldBase {
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

export type Field =
  | (FieldBase & {
      readonly kind: "text";
      readonly minLength: number | undefined;
      readonly maxLength: number | undefined;
      readonly format: "email" | "uri" | "date" | "date-time" | undefined;
      readonly default: string | undefined;
    })
  | (FieldBase & {
      readonly kind: "number" | "integer";
      readonly minimum: number | undefined;
      readonly maximum: number | undefined;
      readonly default: number | undefined;
    })
  | (FieldBase & { readonly kind: "boolean"; readonly default: boolean | undefined })
  | (FieldBase & { readonly kind: "choice"; readonly options: readonly Option[]; readonly default: string | undefined })
  | (FieldBase & {
      readonly kind: "choices";
      readonly options: readonly Option[];
      readonly minItems: number | undefined;
      readonly maxItems: number | undefined;
      readonly default: readonly string[] | undefined;
    });

export interface FormSchema {
  readonly title: string | undefined;
  readonly description: string | undefined;
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
