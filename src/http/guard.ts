/**
 * What is refused before any route is looked at: hosts that are not ours, foreign origins, forged posts. Options are
 * normalised once, and refusal is the default.
 */
import { isAgentPath, isMachinePath } from "./paths.ts";
import { refusal } from "./problem.ts";
import type { Site } from "./site.ts";

interface Host {
  readonly name: string;
  readonly port: number;
}

/** @param text A Host header's value. @returns undefined for anything that is not a plain host and port. */
export function readHost(text: string, defaultPort: number): Host | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i.exec(text);
  if (found?.[1] === undefined) return undefined;
  return { name: found[1].toLowerCase(), port: found[2] === undefined ? defaultPort : Number(found[2]) };
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name === "127.0.0.1" || name === "[::1]" || name.endsWith(".localhost");
}

/** @returns the refusal or redirect, or undefined when the request may go on. */
export function guard(site: Site, request: Request, url: URL): Response | undefined {
  return guardHost(site, request, url) ?? guardOrigin(site, request, url) ?? guardPost(site, request, url);
}

/** DNS rebinding and links with a foreign host end here, with or without an Origin header. */
function guardHost(site: Site, request: Request, url: URL): Response | undefined {
  const ours = new URL(site.origin);
  const defaultPort = site.https ? 443 : 80;
  const host = readHost(request.headers.get("host") ?? url.host, defaultPort);
  const misdirected = () =>
    refusal(request, 421, "Another address was asked", `This server answers only at ${site.origin}.`);
  if (host === undefined) return misdirected();
  if (host.name === ours.hostname && host.port === (ours.port === "" ? defaultPort : Number(ours.port)))
    return undefined;
  // Locally the port is never behind a proxy: it is the one that is listened on.
  const local = readHost(request.headers.get("host") ?? url.host, 80);
  if (local === undefined || !isLoopback(local.name) || local.port !== site.port) return misdirected();
  if (isMachinePath(url.pathname)) return undefined;
  if (request.method !== "GET" && request.method !== "HEAD") return misdirected();
  return new Response(null, { status: 302, headers: { location: site.origin + url.pathname + url.search } });
}

function guardOrigin(site: Site, request: Request, url: URL): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || origin === site.origin) return undefined;
  if (isAgentPath(url.pathname) && (site.allowedOrigins.includes(origin) || isOwnLoopback(site, origin)))
    return undefined;
  return refusal(
    request,
    403,
    "Another site sent this",
    "The request comes from a page of another origin, which may not act here.",
  );
}

/** A page served by this very process under another of its names. */
function isOwnLoopback(site: Site, origin: string): boolean {
  const local = origin.startsWith("http://") ? readHost(origin.slice("http://".length), 80) : undefined;
  return local !== undefined && isLoopback(local.name) && local.port === site.port;
}

/**
 * A post to a page must come from a page of ours: by its Origin, or by Fetch Metadata where a browser leaves that
 * out. The session's own token is checked on top, by `app.ts`.
 */
function guardPost(site: Site, request: Request, url: URL): Response | undefined {
  if (request.method !== "POST" || isMachinePath(url.pathname)) return undefined;
  const fetchSite = request.headers.get("sec-fetch-site");
  if (
    request.headers.get("origin") === site.origin
      ? fetchSite === null || fetchSite === "same-origin"
      : fetchSite === "same-origin"
  )
    return undefined;
  return refusal(request, 403, "This did not come from our page", "Open the page here and press the button there.");
}

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS: readonly (readonly [string, string])[] = [
  ["content-security-policy", CSP],
  ["x-content-type-options", "nosniff"],
  // Not `no-referrer`: with it Chromium sends `Origin: null` on our own forms.
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  [
    "permissions-policy",
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
  ],
];

/** Sets what every response carries; what a route has said itself about caching stands. */
export function secure(site: Site, response: Response): Response {
  try {
    setHeaders(site, response.headers);
    return response;
  } catch (error) {
    // Responses of `fetch` and `Response.redirect` have fixed headers.
    if (!(error instanceof TypeError)) throw error;
    const copy = new Response(response.body, response);
    setHeaders(site, copy.headers);
    return copy;
  }
}

function setHeaders(site: Site, headers: Headers): void {
  for (const [name, value] of HEADERS) headers.set(name, value);
  if (site.https) headers.set("strict-transport-security", "max-age=31536000");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
