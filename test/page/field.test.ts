import { describe, expect, test } from "vitest";
import { readRequestedSchema } from "../../src/approval/form.ts";
import { draw as render } from "../../src/page/draw.tsx";
import { defaultValues, FieldControl } from "../../src/page/field.tsx";

function draw(property: object, options: { required?: boolean; values?: string[]; problem?: string } = {}): string {
  const schema = readRequestedSchema({
    type: "object",
    properties: { it: property },
    ...(options.required && { required: ["it"] }),
  });
  const field = schema.fields[0]!;
  const values = options.values ?? defaultValues(field);
  return render(FieldControl({ field, id: "answer-0", values, problem: options.problem }));
}

describe("form fields", () => {
  test("a required boolean without default is two radio buttons, neither chosen [BR 135] [BR 137]", () => {
    const html = draw({ type: "boolean" }, { required: true });
    expect(html.match(/type="radio"/g)).toHaveLength(2);
    expect(html).not.toMatch(/ checked/);
    expect(html).toContain('value="false"');
  });

  test("an optional boolean can be taken back to no answer [BR 136]", () => {
    const html = draw({ type: "boolean" });
    expect(html.match(/type="radio"/g)).toHaveLength(3);
    expect(html).toMatch(/value=""[^>]* checked/);
  });

  test("a default of false is chosen, and is not the same as no answer", () => {
    expect(draw({ type: "boolean", default: false })).toMatch(/value="false"[^>]* checked/);
  });

  test("a number without default starts empty, and nothing in the page turns what is typed into another number [BR 140]", () => {
    const html = draw({ type: "integer", minimum: 0, maximum: 100 });
    expect(html).toMatch(/<input[^>]* type="text"[^>]* value=""/);
    expect(html).toContain('inputmode="numeric"');
    expect(html).toContain("A whole number, 0 to 100");
  });

  test("a number that may be negative is typed on a keyboard that has a minus sign", () => {
    expect(draw({ type: "number" })).toContain('inputmode="text"');
  });

  test("the default 0 is shown", () => {
    expect(draw({ type: "integer", default: 0 })).toContain('value="0"');
  });

  test("a date-time is typed as text, with the expected form beside it [BR 144]", () => {
    const html = draw({ type: "string", format: "date-time" });
    expect(html).toContain('type="text"');
    expect(html).toContain("2026-11-30T14:30:00+01:00");
  });

  test("a date is a plain date control, without a time to shift it [BR 145]", () => {
    expect(draw({ type: "string", format: "date", default: "2026-12-01" })).toMatch(
      /<input[^>]* type="date"|<input[^>]* value="2026-12-01"[^>]* type="date"/,
    );
  });

  test("the machine's value stands beside a title that says something else", () => {
    const html = draw({ type: "string", oneOf: [{ const: "delete_all", title: "Keep everything" }] });
    expect(html).toMatch(/Keep everything.*<code class="value"><bdi>delete_all<\/bdi><\/code>/s);
  });

  test("many options become a list, few become radio buttons", () => {
    expect(draw({ type: "string", enum: ["a", "b"] })).toContain('type="radio"');
    expect(draw({ type: "string", enum: [..."abcdefgh"] })).toContain("<select");
  });

  test("a default with line breaks keeps them", () => {
    expect(draw({ type: "string", default: "one\ntwo" })).toContain(">\none\ntwo</textarea>");
  });

  test("lengths are left to the server, which counts characters and not UTF-16 units", () => {
    expect(draw({ type: "string", maxLength: 5 })).not.toMatch(/maxlength|pattern/);
  });

  test("a problem is tied to its control", () => {
    const html = draw({ type: "string", description: "about" }, { problem: "Fill in this field." });
    expect(html).toMatch(/aria-describedby="answer-0-about answer-0-problem"[^>]*aria-invalid="true"/);
    expect(html).toContain('id="answer-0-problem"');
  });

  test("titles, descriptions and options of an agent are escaped and marked", () => {
    const html = draw({
      type: "string",
      title: "<b>\u202e",
      description: "<script>",
      oneOf: [{ const: "x", title: "a\u200bb" }],
    });
    expect(html).not.toMatch(/<b>|<script|\u202e|\u200b/);
    expect(html).toContain("⟦U+200B⟧");
  });
});
