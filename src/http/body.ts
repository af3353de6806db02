/** Bodies: at most 1 MiB, whether their length is announced or not. */

/** In bytes. */
export const BODY_LIMIT = 1_048_576;
/** For whoever has no session, in bytes: far above a passkey's answer, and too little to fill the memory with. */
export const STRANGER_LIMIT = 65_536;

/** @returns the bytes, or undefined when there are more than the limit. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (announcesMore(request, limit)) return undefined;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream: the rest is not read.
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** True when the request says itself that its body is larger. */
export function announcesMore(request: Request, limit: number): boolean {
  return Number(request.headers.get("content-length") ?? 0) > limit;
}

/** `application/x-www-form-urlencoded`, as our forms post. */
export function isForm(request: Request): boolean {
  return mediaType(request) === "application/x-www-form-urlencoded";
}

export function isJson(request: Request): boolean {
  return mediaType(request) === "application/json";
}

function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** A JSON object, or undefined for anything else. */
export function readObject(bytes: Uint8Array): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as { [name: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}
