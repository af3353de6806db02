/** The pieces of JSON text, found by index: nothing is built, nothing is called recursively. Grammar: RFC 8259. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A string whose source is its content: most of them, and far quicker to pass than through a parser. */
const PLAIN_STRING = /"[^"\\\u0000-\u001f\ud800-\udfff]*"/y;

/** The index of the first character at or after `from` that is no blank of JSON. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

/** The index after the closing quote of the string that opens at `from`; -1 when none opens or it never closes. */
export function stringEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return -1;
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}

/** The string whose source starts at `from`, unescaped; undefined when none does or it is not valid. */
export function readString(text: string, from: number): { readonly content: string; readonly end: number } | undefined {
  PLAIN_STRING.lastIndex = from;
  if (PLAIN_STRING.test(text))
    return { content: text.slice(from + 1, PLAIN_STRING.lastIndex - 1), end: PLAIN_STRING.lastIndex };
  const end = stringEnd(text, from);
  if (end === -1) return undefined;
  try {
    return { content: JSON.parse(text.slice(from, end)) as string, end };
  } catch {
    return undefined;
  }
}

/** The index after the value that starts at `from`; -1 when it does not end. */
export function valueEnd(text: string, from: number): number {
  if (from >= text.length) return -1;
  if (text.charCodeAt(from) === QUOTE) return stringEnd(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '"') {
      at = stringEnd(text, at) - 1;
      if (at < 0) return -1;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      // The end of what encloses a bare word or number.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (char === "," || char === " " || char === "\n" || char === "\r" || char === "\t"))
      return at;
  }
  return depth === 0 ? text.length : -1;
}
