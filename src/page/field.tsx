/** One field of an agent's form, with native controls. The server reads the answer; nothing here is trusted. */
import type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Field,
  NumberField,
  Option,
  TextField,
} from "../approval/form.ts";
import { copy } from "./copy.tsx";
import { described, type FieldProps, Group, Hints, Label, OptionLine } from "./field_parts.tsx";
import { plain } from "./text.tsx";

/** Up to here radio buttons, which show everything at once; above it a list. */
const RADIOS = 7;
/** Above this a text may well have lines. */
const ONE_LINE = 120;

/** The schema's default as a browser would post it. */
export function defaultValues(field: Field): readonly string[] {
  if (field.default === undefined) return [];
  return Array.isArray(field.default) ? (field.default as readonly string[]) : [String(field.default)];
}

export function FieldControl(props: FieldProps) {
  const { field } = props;
  switch (field.kind) {
    case "text":
      return <TextControl {...props} field={field} />;
    case "number":
    case "integer":
      return <NumberControl {...props} field={field} />;
    case "boolean":
      return <BooleanControl {...props} field={field} />;
    case "choice":
      return <ChoiceControl {...props} field={field} />;
    case "choices":
      return <ChoicesControl {...props} field={field} />;
  }
}

function TextControl(props: FieldProps<TextField>) {
  const { field, id, values } = props;
  const value = values[0] ?? "";
  // A single-line control would drop the line breaks of a default without a word.
  const limits = textLimits(field);
  const lines = field.format === undefined && (value.includes("\n") || (field.maxLength ?? 0) > ONE_LINE);
  return (
    <div class="field">
      <Label {...props} />
      <Hints {...props} limits={limits} />
      {lines ? (
        <textarea id={id} name={id} rows={4} autocomplete="off" {...described(props, limits)}>
          {/* The parser drops one line break after the tag. */}
          {"\n" + value}
        </textarea>
      ) : (
        <input
          id={id}
          name={id}
          value={value}
          autocomplete="off"
          {...TEXT_KINDS[field.format ?? "plain"]}
          {...described(props, limits)}
        />
      )}
    </div>
  );
}

/** `type=email` and `type=number` change or swallow what was typed; the plain kinds hand it on. */
const TEXT_KINDS = {
  plain: { type: "text" },
  email: { type: "text", inputmode: "email", autocapitalize: "none" },
  uri: { type: "text", inputmode: "url", autocapitalize: "none" },
  date: { type: "date" },
  "date-time": { type: "text", autocapitalize: "characters", placeholder: "2026-11-30T14:30:00+01:00" },
} as const;

function textLimits(field: TextField): string | undefined {
  const formats = {
    email: copy.field.email,
    uri: copy.field.uri,
    date: copy.field.date,
    "date-time": copy.field.dateTime,
  };
  if (field.format !== undefined) return formats[field.format];
  return (field.minLength ?? 0) > 0 || field.maxLength !== undefined
    ? copy.field.characters(field.minLength, field.maxLength)
    : undefined;
}

function NumberControl(props: FieldProps<NumberField>) {
  const { field, id, values } = props;
  const { minimum, maximum } = field;
  const kind = field.kind === "integer" ? copy.field.integer : copy.field.number;
  const range =
    minimum !== undefined && maximum !== undefined
      ? copy.field.between(minimum, maximum)
      : minimum !== undefined
        ? copy.field.atLeast(minimum)
        : maximum !== undefined
          ? copy.field.atMost(maximum)
          : undefined;
  const limits = range === undefined ? kind : `${kind}, ${range}`;
  // The numeric keyboards of phones have no minus sign.
  const inputmode = (minimum ?? -1) < 0 ? "text" : field.kind === "integer" ? "numeric" : "decimal";
  return (
    <div class="field">
      <Label {...props} />
      <Hints {...props} limits={limits} />
      <input
        id={id}
        name={id}
        type="text"
        inputmode={inputmode}
        value={values[0] ?? ""}
        autocomplete="off"
        class="number"
        {...described(props, limits)}
      />
    </div>
  );
}

/** Never a single checkbox: unticked could mean no, or not answered. */
function BooleanControl(props: FieldProps<BooleanField>) {
  const options = [
    { value: "true", title: copy.field.yes },
    { value: "false", title: copy.field.no },
  ];
  return <Radios {...props} options={options} ours />;
}

function ChoiceControl(props: FieldProps<ChoiceField>) {
  const { field, id, values } = props;
  if (field.options.length <= RADIOS) return <Radios {...props} options={field.options} />;
  return (
    <div class="field">
      <Label {...props} />
      <Hints {...props} limits={undefined} />
      <select id={id} name={id} {...described(props, undefined)}>
        <option value="">{field.required ? copy.field.choose : copy.field.none}</option>
        {field.options.map((option) => (
          <option value={option.value} selected={values.includes(option.value)}>
            {plain(option.title === option.value ? option.value : `${option.title} (${option.value})`)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** @param ours True where the titles are our own words, which need no value beside them. */
function Radios({
  options,
  ours = false,
  ...props
}: FieldProps<BooleanField | ChoiceField> & { options: readonly Option[]; ours?: boolean }) {
  const { field, id, values } = props;
  // Without it an optional radio, once chosen, could never be taken back.
  const all = field.required ? options : [...options, { value: "", title: copy.field.none }];
  const chosen = values[0] ?? (field.required ? undefined : "");
  return (
    <Group {...props} limits={undefined}>
      {all.map((option, index) => (
        <OptionLine
          id={index === 0 ? id : `${id}-${index}`}
          name={id}
          type="radio"
          option={option}
          ours={ours}
          checked={option.value === chosen}
          required={field.required}
        />
      ))}
    </Group>
  );
}

function ChoicesControl(props: FieldProps<ChoicesField>) {
  const { field, id, values } = props;
  const { minItems, maxItems } = field;
  const limits = (minItems ?? 0) > 0 || maxItems !== undefined ? copy.field.picks(minItems, maxItems) : undefined;
  return (
    <Group {...props} limits={limits}>
      {field.options.map((option, index) => (
        <OptionLine
          id={index === 0 ? id : `${id}-${index}`}
          name={id}
          type="checkbox"
          option={option}
          checked={values.includes(option.value)}
          required={false}
        />
      ))}
    </Group>
  );
}
