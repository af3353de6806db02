/** Text that hides what follows, covers what stands around it, or makes the page too heavy to read. */
import { describe, expect, test } from "vitest";
import { hasHidden, markHidden } from "../../src/approval/hidden.ts";
import { draw } from "../../src/page/draw.tsx";
import { Outside, piecesOf, plain } from "../../src/page/text.tsx";

describe("blank lines", () => {
  test.each([
    ["bare", "\n".repeat(3_000), 3_000],
    ["with a blank in each", "\n ".repeat(1_300) + "\n", 1_301],
    ["with tabs and blanks", "\n\t  \t".repeat(40) + "\n", 41],
  ])("%s are counted instead of pushing the rest out of sight [BR 109]", (_, run, count) => {
    expect(piecesOf(`ok${run}drop it`)).toEqual([
      { text: "ok" },
      { mark: `${count.toLocaleString("en")} line breaks` },
      { text: "drop it" },
    ]);
  });

  test("that are layout stay as they are", () => {
    for (const text of ["a\n\n\n\nb", "list:\n  one\n  two\n  three\n  four\n  five", "a  b\n\n  c"])
      expect(piecesOf(text)).toEqual([{ text }]);
  });

  test("in a text of 250,000 characters are found in no time", () => {
    const started = performance.now();
    for (const text of ["\n ".repeat(125_000), `\n${" ".repeat(250_000)}`, "\n \t x".repeat(50_000)]) piecesOf(text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("combining marks", () => {
  test("piled up so that they cover the lines around them are drawn as visible escapes", () => {
    expect(plain(`a${"\u0301".repeat(300)}b`)).toBe(`a${"\u0301".repeat(4)}⟦U+0301 ×296⟧b`);
    expect(hasHidden(`x${"\u0301\u0302".repeat(10)}`)).toBe(true);
  });

  test.each(["Việt Nam", "Vie\u0323\u0302t", "שָׁ֣לוֹם", "मन्त्रिमण्डल", "สวัสดีที่นี่", "مُحَمَّدٌ", "བསྒྲུབས", "🏳"])(
    "of a written language are plain text: %s",
    (text) => expect(markHidden(text)).toEqual([{ text }]),
  );
});

test("a note head that is drawn as nothing is a visible escape", () => {
  expect(plain("pay\u{1d159}pal")).toBe("pay⟦U+1D159⟧pal");
});

test("tens of thousands of hidden characters are shown as text, not as as many elements", () => {
  const html = String(draw(Outside({ text: "\u200b\u200c".repeat(40_000) })));
  expect(html.match(/</g)!.length).toBeLessThan(10);
  expect(html.match(/⟦U\+200B⟧⟦U\+200C⟧/g)).toHaveLength(40_000);
});
