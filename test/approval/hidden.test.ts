import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasHidden, markHidden, withoutHidden } from "../../src/approval/hidden.ts";

describe("hidden and reordering characters", () => {
  test.each([
    ["right-to-left override", "\u202e"],
    ["bidi isolate", "\u2066"],
    ["Arabic letter mark", "\u061c"],
    ["zero width space", "\u200b"],
    ["zero width joiner", "\u200d"],
    ["byte order mark", "\ufeff"],
    ["soft hyphen", "\u00ad"],
    ["tag letter", "\u{e0041}"],
    ["variation selector", "\u{e0100}"],
    ["Hangul filler", "\u3164"],
    ["line separator", "\u2028"],
    ["no-break space", "\u00a0"],
    ["ideographic space", "\u3000"],
    ["braille blank", "\u2800"],
    ["NUL", "\0"],
    ["carriage return", "\r"],
    ["escape", "\u001b"],
    ["C1 control", "\u0085"],
    ["private use", "\ue000"],
    ["unassigned", "\u{e0fff}"],
    ["noncharacter", "\uffff"],
    ["lone surrogate", "\ud800"],
  ])("a %s is marked, with neighbours untouched", (_, char) => {
    const name = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    expect(hasHidden(`a${char}b`)).toBe(true);
    expect(markHidden(`a${char}b`)).toEqual([{ text: "a" }, { mark: name, char }, { text: "b" }]);
    expect(withoutHidden(`a${char}b`)).toBe("ab");
  });

  test.each(["plain text", "tab\tand\nnewline", "Zoë Ñandú", "日本語", "العربية", "עברית", "😀", "a̧", "ﬁ", "–—„“"])(
    "%j is plain text",
    (text) => {
      expect(hasHidden(text)).toBe(false);
      expect(markHidden(text)).toEqual([{ text }]);
    },
  );

  test("marking loses nothing: the parts put together are the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const parts = markHidden(text);
        expect(parts.map((part) => ("text" in part ? part.text : part.char)).join("")).toBe(text);
        for (const part of parts) if ("text" in part) expect(hasHidden(part.text)).toBe(false);
        expect(parts.some((part) => "mark" in part)).toBe(hasHidden(text));
      }),
    );
  });

  test("an empty text has no parts, and a long one is marked whole", () => {
    expect(markHidden("")).toEqual([]);
    expect(markHidden("\u200b".repeat(200_000))).toHaveLength(200_000);
  });
});
