/**
 * The shape of a route. Routes are data, so that a test can walk "every route × every credential" and no route can
 * slip past the session, the CSRF check or the body cap: those are done once, from this table, in `app.ts`.
 */
import type { Session } from "../engine/engine.ts";

/** Who may call it: anybody, a reviewer with a live session, or an agent with its token (checked behind `/mcp`). */
export type Who = "public" | "reviewer" | "agent";

export type Method = "GET" | "POST" | "DELETE" | "OPTIONS";

/** HEAD is answered wherever GET is. */
export interface Route {
  readonly method: Method;
  /** Exact, or ending in `/*`. */
  readonly path: string;
  readonly who: Who;
}

/** One request, read as far as its route says. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  /** The peer's address, for rate limits. */
  readonly from: string;
  readonly userAgent: string | undefined;
  /** The posted form; empty unless the route's body is `form`. */
  readonly form: URLSearchParams;
  /** The posted JSON object; empty unless the route's body is `json`. */
  readonly json: { readonly [name: string]: unknown };
  /** The session behind the cookie, if there is a live one. */
  readonly session: Session | undefined;
}

export type SignedIn = Visit & { readonly session: Session };

interface Posted {
  /** What a POST carries; anything else is 415. */
  readonly body?: "form" | "json";
  /** True where nobody's session matters, so that none is looked up. */
  readonly anonymous?: true;
}

export type Entry = Route &
  Posted &
  (
    | { readonly who: "public" | "agent"; readonly handle: (visit: Visit) => Promise<Response> | Response }
    | { readonly who: "reviewer"; readonly handle: (visit: SignedIn) => Promise<Response> | Response }
  );

/** A string member of a posted JSON object; empty when it is absent or anything else. */
export function textOf(json: { readonly [name: string]: unknown }, name: string): string {
  const value = json[name];
  return typeof value === "string" ? value : "";
}
