/**
 * The HTTP side: one table of routes, and what is true for all of them.
 *
 * Each request passes the guard (host, origin, forged posts), then the session, the body cap, the CSRF token, and
 * only then its route. Every answer gets the same security headers.
 */
import { Hono } from "hono";
import type { Engine } from "../engine/engine.ts";
import { loadAssets } from "./assets.ts";
import { BODY_LIMIT, isForm, isJson, readBody, readObject, STRANGER_LIMIT } from "./body.ts";
import { confirmRoutes } from "./confirm.ts";
import { readSession } from "./cookie.ts";
import { guard, secure } from "./guard.ts";
import { inboxRoutes } from "./inbox.ts";
import { machineRoutes, type McpEndpoint } from "./machine.ts";
import { wantsJson } from "./paths.ts";
import { notFound, problemJson, shown, thrown } from "./problem.ts";
import { reviewRoutes } from "./review.ts";
import type { Entry, Route, Visit } from "./route.ts";
import { setupRoutes } from "./setup.ts";
import { signInRoutes } from "./signin.ts";
import { seeOther, type Site } from "./site.ts";

export interface AppOptions {
  readonly engine: Engine;
  readonly mcp: McpEndpoint;
  /** Origin without a path. */
  readonly publicUrl: string;
  /** The port that is listened on. */
  readonly port: number;
  /** Further origins whose pages may call `/mcp`. */
  readonly allowedOrigins: readonly string[];
  /** Take the peer's address from the last entry of X-Forwarded-For. Host and scheme are never taken from a header. */
  readonly trustProxy: boolean;
  /** Plain http that is not localhost, accepted by the operator: every page warns. */
  readonly insecureHttp: boolean;
  /** Whether browsers allow passkeys at the public URL. */
  readonly passkeys: boolean;
  /** How long a session's proof counts on https; the engine judges, pages only leave out a needless field. Default 5 minutes. */
  readonly proofWindowMs?: number;
  readonly clock?: { now(): number };
  /** Faults of ours, once each. */
  report(problem: { id: string; where: string; error: unknown }): void;
}

export interface App {
  /** @param peer Who is at the other end of the connection. */
  fetch(request: Request, peer: { address: string }): Promise<Response>;
  readonly routes: readonly Route[];
}

type Bindings = { Bindings: { readonly from: string } };

export function createApp(options: AppOptions): App {
  const site = openSite(options);
  const entries: readonly Entry[] = [
    ...inboxRoutes(site),
    ...reviewRoutes(site),
    ...confirmRoutes(site),
    ...signInRoutes(site),
    ...setupRoutes(site),
    ...machineRoutes(site, options.mcp),
    {
      method: "GET",
      path: "/assets/*",
      who: "public",
      anonymous: true,
      handle: (visit) => site.assets.serve(visit) ?? notFound(site, visit),
    },
  ];

  const hono = new Hono<Bindings>();
  for (const entry of entries) hono.on(entry.method, entry.path, (c) => serve(site, entry, c.req.raw, c.env.from));
  for (const [path, allow] of methodsOf(entries)) {
    hono.all(path, async (c) => {
      const visit = await visitOf(site, c.req.raw, c.env.from);
      const detail = `This address answers ${allow}.`;
      return shown(site, visit, { status: 405, title: "This is not how it is asked", detail }, { headers: { allow } });
    });
  }
  hono.notFound(async (c) => notFound(site, await visitOf(site, c.req.raw, c.env.from)));
  hono.onError(async (error, c) => thrown(site, bareVisit(c.req.raw, c.env.from), error));

  return {
    routes: entries.map(({ method, path, who }) => ({ method, path, who })),
    async fetch(request, peer) {
      const from = options.trustProxy ? (lastForwarded(request) ?? peer.address) : peer.address;
      const response = guard(site, request, new URL(request.url)) ?? (await hono.fetch(request, { from }));
      return secure(site, response);
    },
  };
}

function openSite(options: AppOptions): Site {
  const {
    engine,
    publicUrl,
    port,
    allowedOrigins,
    trustProxy,
    insecureHttp,
    passkeys,
    proofWindowMs = 5 * 60_000,
  } = options;
  const { origin, protocol } = new URL(publicUrl);
  return {
    engine,
    origin,
    port,
    https: protocol === "https:",
    allowedOrigins,
    trustProxy,
    insecureHttp,
    passkeys,
    proofWindowMs,
    assets: loadAssets(),
    now: () => options.clock?.now() ?? Date.now(),
    report: (problem) => options.report(problem),
  };
}

/** Everything that is the same for all routes of a kind, so that no route can forget it. */
async function serve(site: Site, entry: Entry, request: Request, from: string): Promise<Response> {
  // An agent's route reads its own body and knows no session.
  if (entry.who === "agent" || (entry.who === "public" && entry.anonymous))
    return entry.handle(bareVisit(request, from));
  let visit = await visitOf(site, request, from);
  // Before the body: what a stranger sends there is not even read.
  if (entry.who === "reviewer" && visit.session === undefined) return signInFirst(entry, visit);
  if (entry.method === "POST") {
    const posted = await readPosted(site, entry, visit);
    if (posted instanceof Response) return posted;
    visit = posted;
  }
  if (entry.who === "public") return entry.handle(visit);
  const { session } = visit;
  if (session === undefined) return signInFirst(entry, visit);
  if (entry.method === "POST" && !carriesToken(visit, session.csrf)) {
    return shown(site, visit, {
      status: 403,
      title: "This page was left open too long",
      detail: "Nothing was decided. Open the request again and press the button there.",
      code: "forbidden",
    });
  }
  return entry.handle({ ...visit, session });
}

async function readPosted(site: Site, entry: Entry, visit: Visit): Promise<Visit | Response> {
  const { request } = visit;
  const limit = visit.session === undefined ? STRANGER_LIMIT : BODY_LIMIT;
  const bytes = await readBody(request, limit);
  if (bytes === undefined)
    return shown(site, visit, {
      status: 413,
      title: "This is too much",
      detail: `Send at most ${limit / 1_024} KiB.`,
      code: "too_large",
    });
  if (entry.body === "form" && isForm(request))
    return { ...visit, form: new URLSearchParams(new TextDecoder().decode(bytes)) };
  if (entry.body === "json" && isJson(request)) {
    const json = readObject(bytes);
    return json === undefined
      ? problemJson({ status: 400, title: "This is not JSON", detail: "Send a JSON object.", code: "invalid_request" })
      : { ...visit, json };
  }
  const expected = entry.body === "json" ? "application/json" : "application/x-www-form-urlencoded";
  return shown(site, visit, {
    status: 415,
    title: "This is not the kind of data expected here",
    detail: `Send ${expected}.`,
    code: "invalid_request",
  });
}

/** By a form's field or a script's header. */
function carriesToken(visit: Visit, csrf: string): boolean {
  return csrf !== "" && (visit.form.get("csrf") ?? visit.request.headers.get("x-csrf")) === csrf;
}

/** Path and query are kept; what a POST carried is not, and the page it came from is where to go on. */
function signInFirst(entry: Entry, visit: Visit): Response {
  const { url, request } = visit;
  if (wantsJson(request, url.pathname) || entry.body === "json") {
    return problemJson({
      status: 401,
      title: "Sign in first",
      detail: "Your session is over. Sign in and try again.",
      code: "forbidden",
    });
  }
  const target = url.pathname + url.search;
  return seeOther(target === "/" ? "/signin" : `/signin?returnTo=${encodeURIComponent(target)}`);
}

async function visitOf(site: Site, request: Request, from: string): Promise<Visit> {
  return { ...bareVisit(request, from), session: await readSession(site, request) };
}

function bareVisit(request: Request, from: string): Visit {
  return {
    request,
    url: new URL(request.url),
    from,
    userAgent: request.headers.get("user-agent") ?? undefined,
    form: new URLSearchParams(),
    json: {},
    session: undefined,
  };
}

/** The entry that the nearest proxy added itself; those before it are the client's word. */
function lastForwarded(request: Request): string | undefined {
  return request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined;
}

function methodsOf(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of entries) {
    const known = methods.get(path) ?? new Set<string>();
    known.add(method);
    if (method === "GET") known.add("HEAD");
    methods.set(path, known);
  }
  return new Map([...methods].map(([path, set]) => [path, [...set].join(", ")]));
}
