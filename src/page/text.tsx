/**
 * Text from outside, drawn so that it cannot deceive: hidden and reordering characters are visible marks, long runs
 * of blanks are counted instead of pushing the rest out of sight, and every run is isolated from its neighbours.
 * Nothing is stripped.
 */
import { markHidden } from "../approval/hidden.ts";

type Piece = { readonly text: string } | { readonly mark: string };

/** Four line breaks or twenty blanks are layout; more is a way to hide what follows. Blanks between the breaks change nothing. */
const LONG_BLANKS = /\n(?:[ \t]*\n){4,}|[ \t]{21,}/g;

/** The text in order: plain runs and what is shown in place of characters that cannot be seen. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let last: { mark: string; count: number } | undefined;
  function flush(): void {
    if (last !== undefined) pieces.push({ mark: last.count === 1 ? last.mark : `${last.mark} ×${last.count}` });
    last = undefined;
  }
  for (const part of markHidden(text)) {
    if ("mark" in part) {
      if (last?.mark !== part.mark) flush();
      last = { mark: part.mark, count: (last?.count ?? 0) + 1 };
      continue;
    }
    flush();
    pieces.push(...countBlanks(part.text));
  }
  flush();
  return pieces;
}

function countBlanks(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const run of text.matchAll(LONG_BLANKS)) {
    if (run.index > from) pieces.push({ text: text.slice(from, run.index) });
    const breaks = run[0].split("\n").length - 1;
    pieces.push({
      mark: breaks > 0 ? `${breaks.toLocaleString("en")} line breaks` : `${run[0].length.toLocaleString("en")} spaces`,
    });
    from = run.index + run[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** How many hidden or reordering characters the text holds. */
export function countHidden(text: string): number {
  return markHidden(text).filter((part) => "mark" in part).length;
}

/** The same for places that take no elements: titles and accessible names. */
export function plain(text: string): string {
  return piecesOf(text)
    .map((piece) => ("text" in piece ? piece.text : `⟦${piece.mark}⟧`))
    .join("");
}

/** One line for a title or an accessible name; a cut is marked. */
export function brief(text: string, limit = 80): string {
  const whole = plain(text).replaceAll(/\s+/g, " ").trim();
  const points = Array.from(whole);
  return points.length <= limit ? whole : `${points.slice(0, limit - 1).join("")}…`;
}

/** Above this many marks, drawn as elements they would make a phone slow; as text they never do. */
const DRAWN_MARKS = 500;

export function Pieces({ text }: { text: string }) {
  const pieces = piecesOf(text);
  if (pieces.length > 2 * DRAWN_MARKS) return <>{plain(text)}</>;
  return <>{pieces.map((piece) => ("text" in piece ? piece.text : <span class="mark">⟦{piece.mark}⟧</span>))}</>;
}

/** A run of text from outside. Its direction is its own and ends with it. */
export function Outside({ text }: { text: string }) {
  return (
    <bdi>
      <Pieces text={text} />
    </bdi>
  );
}
