/**
 * JSON text cut into the lines of its pretty-printed form (two spaces), from the source text and not from a parsed
 * value: keys keep their order and numbers their spelling.
 */

export type Scalar = "string" | "number" | "word";

export type Node =
  | { readonly kind: Scalar; readonly source: string }
  | { readonly kind: "object" | "array"; readonly entries: readonly Entry[] };

export interface Entry {
  /** The decoded key; undefined in an array. */
  readonly key: string | undefined;
  readonly value: Node;
}

const TOKEN = /\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],:]))/y;

export interface ParsedText {
  readonly root: Node;
  /** All values, containers included. */
  readonly values: number;
}

/** @param text Valid JSON of bounded depth, as the domain accepts it. Throws on anything else. */
export function parseText(text: string): ParsedText {
  let at = 0;
  let values = 0;
  function next(): { kind: Scalar | "sign"; source: string } {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) throw new SyntaxError(`no JSON token at ${at}`);
    at = TOKEN.lastIndex;
    const [, string, number, word, sign] = found;
    if (string !== undefined) return { kind: "string", source: string };
    if (number !== undefined) return { kind: "number", source: number };
    return word === undefined ? { kind: "sign", source: sign ?? "" } : { kind: "word", source: word };
  }
  function value(first: ReturnType<typeof next>): Node {
    values += 1;
    if (first.kind !== "sign") return { kind: first.kind, source: first.source };
    const isObject = first.source === "{";
    if (!isObject && first.source !== "[") throw new SyntaxError(`unexpected ${first.source}`);
    const end = isObject ? "}" : "]";
    const entries: Entry[] = [];
    for (let token = next(); token.source !== end || token.kind !== "sign"; token = next()) {
      if (token.kind === "sign" && token.source === ",") continue;
      if (!isObject) {
        entries.push({ key: undefined, value: value(token) });
        continue;
      }
      next();
      entries.push({ key: JSON.parse(token.source) as string, value: value(next()) });
    }
    return { kind: isObject ? "object" : "array", entries };
  }
  return { root: value(next()), values };
}

/** The pretty-printed text, for payloads too large to colour. */
export function prettyText(node: Node, indent = ""): string {
  if (!("entries" in node)) return spell(node);
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.entries.length === 0) return open + close;
  const inner = `${indent}  `;
  const lines = node.entries.map(
    ({ key, value }) => `${inner}${key === undefined ? "" : `${JSON.stringify(key)}: `}${prettyText(value, inner)}`,
  );
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** A scalar as it is shown: numbers verbatim; strings with needless escapes undone, so that they can be read. */
export function spell(node: Extract<Node, { source: string }>): string {
  return node.kind === "string" ? JSON.stringify(JSON.parse(node.source)) : node.source;
}
