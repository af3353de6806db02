/** The session cookie. Its value is the only secret a browser holds; scripts never see it. */
import type { OpenedSession, Session } from "../engine/engine.ts";
import type { Site } from "./site.ts";

/**
 * `__Host-countersign` on https. On plain http browsers refuse that prefix, and on localhost every port shares the
 * cookies of the name, so the port stands in it.
 */
export function cookieName(site: Site): string {
  if (site.https) return "__Host-countersign";
  return `countersign_${new URL(site.origin).port || site.port}`;
}

/** One of ours, and some that another port of the same host may have set beside it, which none can forbid. */
const MOST = 4;

/**
 * The values under our cookie's name, in the browser's order. There may be several: on localhost every port can set one
 * for a narrower path, which comes first. It must not keep the person out, so the one with a live session counts.
 */
export function readTokens(site: Site, request: Request): readonly string[] {
  const name = `${cookieName(site)}=`;
  const found = (request.headers.get("cookie") ?? "").split(/;\s*/).filter((pair) => pair.startsWith(name));
  return found.slice(0, MOST).flatMap((pair) => pair.slice(name.length) || []);
}

/** The live session that the request's cookie names. */
export async function readSession(site: Site, request: Request): Promise<Session | undefined> {
  for (const token of readTokens(site, request)) {
    const session = await site.engine.reviewing.session(token);
    if (session !== undefined) return session;
  }
  return undefined;
}

/** Lax, not Strict: a link in a mail or chat must find the session. */
export function sessionCookie(site: Site, opened: OpenedSession): Record<string, string> {
  const seconds = Math.max(0, Math.floor((opened.session.expiresAt - site.now()) / 1000));
  return { "set-cookie": attributes(site, opened.token, seconds) };
}

export function noCookie(site: Site): Record<string, string> {
  return { "set-cookie": attributes(site, "", 0) };
}

function attributes(site: Site, value: string, seconds: number): string {
  return `${cookieName(site)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${site.https ? "; Secure" : ""}`;
}
