/** Bodies: at most 1 MiB, whether their length is announced or not. */

/** In bytes. */
export const BODY_LIMIT = 1_048_576;

/** @returns the bytes, or undefined when there are more than the limit. */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_LIMIT) return undefined;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream: the rest is not read.
    if (size > BODY_LIMIT) return undefined;
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

/**
 * The request with a body known to be small enough. One whose length is announced goes on as it is: the HTTP parser
 * holds it to that; a chunked one is read here first.
 */
export async function capBody(request: Request): Promise<Request | undefined> {
  const announced = request.headers.get("content-length");
  if (announced !== null) return Number(announced) <= BODY_LIMIT ? request : undefined;
  if (request.body === null) return request;
  const body = await readBody(request);
  if (body === undefined) return undefined;
  return new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal });
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
