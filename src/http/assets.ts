/** The files that pages load: read once at start, served from memory, addressed by a hash of their bytes. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Visit } from "./route.ts";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
};

const OURS = ["style.css", "page.js", "passkey.js", "mark.svg"] as const;

export interface Assets {
  /** The versioned address of an asset; throws on an unknown name. */
  address(name: string): string;
  /** Undefined for an unknown name. */
  serve(visit: Visit): Response | undefined;
}

/** Beside the sources and beside the built files alike: the build copies the folder. */
export function loadAssets(): Assets {
  const folder = new URL("../page/assets/", import.meta.url);
  const files = new Map<string, Uint8Array<ArrayBuffer>>(OURS.map((name) => [name, read(new URL(name, folder))]));
  files.set("webauthn.js", read(webauthnBundle()));
  // Only files that hold no secret are compressed: the length of a compressed page would tell about its contents.
  const compressed = new Map([...files].map(([name, bytes]) => [name, new Uint8Array(gzipSync(bytes, { level: 9 }))]));
  const versions = new Map(
    [...files].map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("base64url").slice(0, 12)]),
  );

  return {
    address(name) {
      const version = versions.get(name);
      if (version === undefined) throw new Error(`there is no asset called ${name}`);
      return `/assets/${name}?v=${version}`;
    },
    serve({ request, url }) {
      const name = url.pathname.slice("/assets/".length);
      const bytes = files.get(name);
      const version = versions.get(name);
      if (bytes === undefined || version === undefined) return undefined;
      const headers = {
        "content-type": TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
        // The address changes with the bytes, so that what it names never does.
        "cache-control": url.searchParams.get("v") === version ? "public, max-age=31536000, immutable" : "no-cache",
        // Weak, since one address has two encodings.
        etag: `W/"${version}"`,
        vary: "Accept-Encoding",
      };
      if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
      const small = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "") ? compressed.get(name) : undefined;
      if (small === undefined) return new Response(bytes, { headers });
      return new Response(small, { headers: { ...headers, "content-encoding": "gzip" } });
    },
  };
}

function read(file: URL | string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(file));
}

/** The package exports only its modules; the bundle for browsers lies beside them. */
function webauthnBundle(): URL {
  const main = createRequire(import.meta.url).resolve("@simplewebauthn/browser");
  return new URL("../dist/bundle/index.umd.min.js", pathToFileURL(main));
}
