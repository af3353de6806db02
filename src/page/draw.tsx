/** A component as HTML text. No component here waits for anything, so the text is there at once. */
export function draw(element: { toString(): string | Promise<string> }): string {
  const html = element.toString();
  if (typeof html !== "string") throw new TypeError("a page must not wait");
  return html;
}
