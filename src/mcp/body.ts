/** Reading a request body once, as text, up to a limit; and JSON-RPC errors at the level of HTTP. */

/** 1 MiB: four times the largest payload. */
export const MAX_BODY_BYTES = 1024 * 1024;

export type ReadBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too_large" }
  | { readonly kind: "unreadable" };

/** Stops reading at the limit. Bytes that are not UTF-8 are refused, not replaced: a replaced character is another payload. */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<ReadBody> {
  if (Number(request.headers.get("content-length")) > maxBytes) return { kind: "too_large" };
  if (request.body === null) return { kind: "text", text: "" };
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  let received = 0;
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { kind: "text", text: text + decoder.decode() };
      received += value.byteLength;
      if (received > maxBytes) return { kind: "too_large" };
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return { kind: "unreadable" };
  } finally {
    // Nobody reads the rest; the server behind decides whether to drain or to close.
    reader.cancel().catch(() => undefined);
  }
}

/** A JSON-RPC error that answers the HTTP request as a whole. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  extra: { readonly id?: string | number | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return Response.json(
    { jsonrpc: "2.0", id: extra.id ?? null, error: { code, message } },
    { status, headers: { "cache-control": "no-store", ...extra.headers } },
  );
}
