/** The session cookie. Its value is the only secret a browser holds; scripts never see it. */
import type { OpenedSession } from "../engine/engine.ts";
import type { Site } from "./site.ts";

/**
 * `__Host-countersign` on https. On plain http browsers refuse that prefix, and on localhost every port shares the
 * cookies of the name, so the port stands in it.
 */
export function cookieName(site: Site): string {
  if (site.https) return "__Host-countersign";
  return `countersign_${new URL(site.origin).port || site.port}`;
}

export function readToken(site: Site, request: Request): string | undefined {
  const name = `${cookieName(site)}=`;
  const found = (request.headers.get("cookie") ?? "").split(/;\s*/).find((pair) => pair.startsWith(name));
  return found?.slice(name.length) || undefined;
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
