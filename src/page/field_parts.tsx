/** What all controls of a form share: titles, hints, problems, and one line of a choice. */
import type { Child } from "hono/jsx";
import type { Field, Option } from "../approval/form.ts";
import { copy } from "./copy.tsx";
import { Outside } from "./text.tsx";

export interface FieldProps<T extends Field = Field> {
  readonly field: T;
  /** The posted name and the id of the first control: by place, since an agent's names may hold anything. */
  readonly id: string;
  /** What the control shows: typed before, or the schema's default. */
  readonly values: readonly string[];
  readonly problem: string | undefined;
}

interface OptionLineProps {
  readonly id: string;
  readonly name: string;
  readonly type: "radio" | "checkbox";
  readonly option: Option;
  /** True where the title is our own word. */
  readonly ours?: boolean;
  readonly checked: boolean;
  readonly required: boolean;
}

/** A title may say anything; the value beside it is what the agent receives. */
export function OptionLine({ id, name, type, option, ours = false, checked, required }: OptionLineProps) {
  return (
    <label class="option" for={id}>
      <input id={id} name={name} type={type} value={option.value} checked={checked} required={required} />
      <span>
        <Outside text={option.title} />
        {!ours && option.value !== "" && option.title !== option.value && (
          <>
            {" "}
            <code class="value">
              <Outside text={option.value} />
            </code>
          </>
        )}
      </span>
    </label>
  );
}

export function Group({
  field,
  id,
  problem,
  limits,
  children,
}: FieldProps & { limits: string | undefined; children?: Child }) {
  const hints = describedBy(field, id, problem, limits);
  return (
    <fieldset class="field" aria-describedby={hints}>
      <legend>
        <FieldTitle field={field} />
      </legend>
      <Hints field={field} id={id} values={[]} problem={problem} limits={limits} />
      {children}
    </fieldset>
  );
}

export function Label({ field, id }: FieldProps) {
  return (
    <label class="title" for={id}>
      <FieldTitle field={field} />
    </label>
  );
}

function FieldTitle({ field }: { field: Field }) {
  return (
    <>
      <Outside text={field.title ?? field.name} />
      {field.required && (
        <span class="required" title={copy.review.required}>
          {" *"}
        </span>
      )}
      {field.title !== undefined && field.title !== field.name && (
        <>
          {" "}
          <code class="value">
            <Outside text={field.name} />
          </code>
        </>
      )}
    </>
  );
}

export function Hints({ field, id, problem, limits }: FieldProps & { limits: string | undefined }) {
  return (
    <>
      {field.description !== undefined && (
        <p class="hint" id={`${id}-about`}>
          <Outside text={field.description} />
        </p>
      )}
      {limits !== undefined && (
        <p class="hint" id={`${id}-limits`}>
          {limits}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </>
  );
}

/** What ties a control to its hints and its problem. @param limits As given to {@link Hints}. */
export function described(props: FieldProps, limits: string | undefined) {
  const ids = describedBy(props.field, props.id, props.problem, limits);
  return {
    "aria-describedby": ids,
    "aria-invalid": props.problem === undefined ? undefined : "true",
    required: props.field.required,
  };
}

function describedBy(
  field: Field,
  id: string,
  problem: string | undefined,
  limits: string | undefined,
): string | undefined {
  const ids = [
    field.description !== undefined && `${id}-about`,
    limits !== undefined && `${id}-limits`,
    problem !== undefined && `${id}-problem`,
  ];
  return ids.filter(Boolean).join(" ") || undefined;
}
