/** What a browser receives for one page. */
import { get } from "node:http";
import { gunzipSync } from "node:zlib";

export interface Weight {
  /** Bytes of all bodies as they come over the wire, compressed or not. */
  readonly total: number;
  readonly parts: readonly { readonly path: string; readonly bytes: number }[];
  readonly html: string;
}

/** Loads a page and every style sheet, script and image that it names, as a browser would. Throws unless all answer 200. */
export async function weighPage(url: string, cookie: string): Promise<Weight> {
  const page = await load(url, cookie);
  const html = page.text;
  const named = new Set(
    [...html.matchAll(/<(?:link|script|img)\b[^>]*?\s(?:href|src)="(\/[^"]*)"/g)].map((found) => found[1] ?? ""),
  );
  const parts = [{ path: new URL(url).pathname, bytes: page.bytes }];
  for (const path of named) parts.push({ path, bytes: (await load(new URL(path, url).href, cookie)).bytes });
  return { total: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts, html };
}

/** Not by `fetch`, which does not tell how long the body was before it was decompressed. */
function load(url: string, cookie: string): Promise<{ bytes: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers: { cookie, "accept-encoding": "gzip" } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
        const body = Buffer.concat(chunks);
        const plain = response.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
        resolve({ bytes: body.byteLength, text: plain.toString() });
      });
    });
    sent.on("error", reject);
  });
}
