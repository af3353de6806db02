/** What programs call: health, readiness, and the way to `/mcp`. */
import { announcesMore, BODY_LIMIT } from "./body.ts";
import { problemJson } from "./problem.ts";
import { newReadiness } from "./readiness.ts";
import type { Entry, Visit } from "./route.ts";
import type { Site } from "./site.ts";

export interface McpEndpoint {
  fetch(request: Request): Promise<Response>;
}

export function machineRoutes(site: Site, mcp: McpEndpoint): readonly Entry[] {
  const toMcp = (visit: Visit) => forward(site, mcp, visit);
  const ready = newReadiness(
    () => site.engine.checkWritable(),
    () => site.now(),
  );
  return [
    { method: "GET", path: "/healthz", who: "public", anonymous: true, handle: () => Response.json({ status: "ok" }) },
    {
      method: "GET",
      path: "/readyz",
      who: "public",
      anonymous: true,
      async handle() {
        // Throws `unavailable`, which `problem.ts` answers with 503.
        await ready();
        return Response.json({ status: "ready" });
      },
    },
    { method: "POST", path: "/mcp", who: "agent", handle: toMcp },
    { method: "GET", path: "/mcp", who: "agent", handle: toMcp },
    { method: "DELETE", path: "/mcp", who: "agent", handle: toMcp },
    {
      method: "OPTIONS",
      path: "/mcp",
      who: "public",
      anonymous: true,
      handle: ({ request }) => preflight(site, request),
    },
  ];
}

async function forward(site: Site, mcp: McpEndpoint, { request }: Visit): Promise<Response> {
  // The body itself is read behind the token's gate, up to the same limit: a stranger's is not read at all.
  if (announcesMore(request, BODY_LIMIT))
    return problemJson({
      status: 413,
      title: "The body is too large",
      detail: "Send at most 1 MiB.",
      code: "too_large",
    });
  const response = await mcp.fetch(request);
  const origin = allowed(site, request);
  if (origin !== undefined) {
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set("access-control-expose-headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After");
    response.headers.append("vary", "Origin");
    // Set for all below; a page of an allowed origin is meant to read this one.
    response.headers.set("cross-origin-resource-policy", "cross-origin");
  }
  return response;
}

/** A browser's question before a cross-origin call (Fetch, CORS-preflight). No cookie is ever allowed along. */
function preflight(site: Site, request: Request): Response {
  const origin = allowed(site, request);
  if (origin === undefined)
    return new Response(null, { status: 204, headers: { allow: "GET, POST, DELETE, OPTIONS" } });
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers":
        request.headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "600",
      vary: "Origin, Access-Control-Request-Headers",
    },
  });
}

/** The operator's own list; the guard has refused every other foreign origin by now. */
function allowed(site: Site, request: Request): string | undefined {
  const origin = request.headers.get("origin");
  return origin !== null && site.allowedOrigins.includes(origin) ? origin : undefined;
}
