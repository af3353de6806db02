import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { draw as render } from "../../src/page/draw.tsx";
import { parseText, prettyText } from "../../src/page/json_lines.tsx";
import { COLOURED_VALUES, Payload } from "../../src/page/payload.tsx";
import { brief, plain } from "../../src/page/text.tsx";

function draw(text: string): string {
  return render(Payload({ text, label: "payload", end: "End" }));
}

/** What a reader sees of the JSON block. */
function seen(text: string): string {
  const html = draw(text);
  const block = html.slice(html.indexOf('class="json'), html.lastIndexOf('<p class="facts">'));
  return unescape(block.slice(block.indexOf(">") + 1).replaceAll(/<[^>]+>/g, "")).trimEnd();
}

function unescape(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

describe("the payload as JSON", () => {
  test("any JSON is drawn as its pretty-printed form, and nothing else", () => {
    const json = fc.json({ stringUnit: fc.constantFrom(..."abc<>&\"'\\/ {}[]:,é0") });
    fc.assert(
      fc.property(json, (text) => {
        // -0 is kept as it was written; JSON.stringify drops its sign.
        fc.pre(!text.includes("-0"));
        expect(seen(text)).toBe(JSON.stringify(reparsed(text), null, 2));
      }),
      { numRuns: 300 },
    );
  });

  test("numbers are drawn exactly as they were written [BR 104]", () => {
    expect(seen('{"price":19.90,"whole":1.0,"big":1e2,"none":-0}')).toBe(
      '{\n  "price": 19.90,\n  "whole": 1.0,\n  "big": 1e2,\n  "none": -0\n}',
    );
  });

  test("keys keep the order in which they came, also those that look like array indices", () => {
    expect(seen('{"b":1,"10":2,"a":3,"2":4}')).toBe('{\n  "b": 1,\n  "10": 2,\n  "a": 3,\n  "2": 4\n}');
  });

  test.each(['"hello"', "null", "0", "false", "[]", '""', "{}"])("%s is a payload and is drawn [BR 121]", (text) => {
    expect(seen(text)).toBe(text);
  });

  test("the six characters of an escaped NUL stay six characters, and a real one is drawn as its escape [BR 120]", () => {
    expect(seen(String.raw`{"text":"\\u0000","real":"\u0000"}`)).toBe(String.raw`{
  "text": "\\u0000",
  "real": "\u0000"
}`);
  });

  test("markup in keys and values is text", () => {
    const html = draw('{"<b>k</b>":"<img src=x onerror=alert(1)><style>*{}</style>"}');
    expect(html).not.toMatch(/<img|<style|<b>/);
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  test("a reordering character is a visible mark and is counted [BR 107]", () => {
    const html = draw('{"cmd":"rm -rf /\\u202Epmt/elif"}');
    expect(html).not.toContain("\u202e");
    expect(html).toContain("⟦U+202E⟧");
    expect(html).toContain("1 character here is invisible or changes the order of text");
  });

  test.each(["200B", "2028", "FEFF", "00AD", "E0041", "E0100", "00A0", "2800"])(
    "the hidden character U+%s is drawn in keys and values [BR 108]",
    (code) => {
      const char = String.fromCodePoint(parseInt(code, 16));
      const html = draw(JSON.stringify({ [`k${char}`]: `v${char}` }));
      expect(html).not.toContain(char);
      expect(html.split(`⟦U+${code}⟧`)).toHaveLength(3);
    },
  );

  test("200 blanks in front of the dangerous part are counted and do not push it away [BR 109]", () => {
    expect(plain(`ok${"\u00a0".repeat(200)}&& drop table`)).toBe("ok⟦U+00A0 ×200⟧&& drop table");
    expect(plain(`ok${"\n".repeat(5000)}&& drop table`)).toBe("ok⟦5,000 line breaks⟧&& drop table");
    expect(plain(`ok${" ".repeat(300)}x`)).toBe("ok⟦300 spaces⟧x");
  });

  test("above 2,000 values it is plain text without an element for each value [BR 115]", () => {
    const text = JSON.stringify(Array.from({ length: COLOURED_VALUES + 1 }, (_, index) => index));
    const html = draw(text);
    expect(html).toContain('<pre class="json plain"');
    expect(html).not.toContain('class="number"');
    expect(seen(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  test("a string of 256 KiB is drawn whole [BR 112]", () => {
    const text = JSON.stringify(`${"a".repeat(262_000)}END`);
    expect(seen(text)).toBe(text);
  });

  test("nested objects can be folded and start open", () => {
    expect(draw('{"a":{"b":1}}')).toMatch(/<details class="fold" open[^>]*><summary/);
  });
});

test("a cut in a title is marked", () => {
  expect(brief("x".repeat(100), 10)).toBe(`${"x".repeat(9)}…`);
  expect(brief("two\nlines")).toBe("two lines");
});

/** Keys that look like indices move to the front in JavaScript; compare in the order of the text. */
function reparsed(text: string): unknown {
  // The printed tree is already in source order, so reading it back orders both sides alike only if no such key is there.
  fc.pre(!/"\d+":/.test(text));
  expect(JSON.parse(prettyText(parseText(text).root))).toEqual(JSON.parse(text));
  return JSON.parse(text);
}
