/**
 * Characters that a reader cannot see or that reorder what is seen: bidi controls, zero-width and filler
 * characters, tags, soft hyphens, variation selectors, control characters, private use, unassigned, lone
 * surrogates, every blank but the space, the blank note head, and combining marks piled up on one letter.
 *
 * They are shown or refused, never stripped: stripping would change what runs. Tab and newline are plain text.
 */
const CLASS = String.raw`[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\u2800\u{1d159}]--[\t\n\u0020]]`;
/** The fifth mark and those after it: no writing stacks so many, and a tower of them covers the lines around it. */
const STACKED = String.raw`(?<=[\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]`;
const HIDDEN = new RegExp(`${CLASS}|${STACKED}`, "v");
const EACH_HIDDEN = new RegExp(`${CLASS}|${STACKED}`, "gv");

export type Marked =
  | { readonly text: string }
  /** A hidden character: `mark` is its name as `U+202E`, `char` the character itself. */
  | { readonly mark: string; readonly char: string };

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** The text without its hidden characters: for comparing words, never for showing or storing. */
export function withoutHidden(text: string): string {
  return text.replace(EACH_HIDDEN, "");
}

/** The text in order, cut into plain runs and hidden characters, for a page that draws the latter visibly. */
export function markHidden(text: string): readonly Marked[] {
  const parts: Marked[] = [];
  let from = 0;
  for (const match of text.matchAll(EACH_HIDDEN)) {
    const char = match[0];
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ mark: `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`, char });
    from = match.index + char.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}
