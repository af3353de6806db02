/** `/signin` and `/signout`. A session begins by a POST only, and leads back to the page that was opened. */
import { copy } from "../page/copy.tsx";
import { SignInPage } from "../page/signin.tsx";
import { noCookie, readSession, sessionCookie } from "./cookie.ts";
import { safeReturn } from "./paths.ts";
import { problemJson } from "./problem.ts";
import { type Entry, textOf, type Visit } from "./route.ts";
import { frameOf, html, seeOther, type Site } from "./site.ts";

export function signInRoutes(site: Site): readonly Entry[] {
  return [
    { method: "GET", path: "/signin", who: "public", handle: (visit) => show(site, visit) },
    { method: "POST", path: "/signin", who: "public", body: "form", handle: (visit) => withPassword(site, visit) },
    {
      method: "POST",
      path: "/signin/passkey/options",
      who: "public",
      body: "json",
      handle: async ({ from }) => Response.json(await site.engine.reviewing.beginPasskeySignIn(from)),
    },
    {
      method: "POST",
      path: "/signin/passkey",
      who: "public",
      body: "json",
      handle: (visit) => withPasskey(site, visit),
    },
    {
      method: "POST",
      path: "/signout",
      who: "reviewer",
      body: "form",
      async handle({ session }) {
        await site.engine.reviewing.signOut(session);
        return seeOther("/signin", noCookie(site));
      },
    },
  ];
}

async function show(site: Site, visit: Visit): Promise<Response> {
  const returnTo = safeReturn(visit.url.searchParams.get("returnTo"), site.origin);
  if (visit.session !== undefined) return seeOther(returnTo);
  return page(site, 200, { returnTo, name: "", trouble: undefined });
}

async function withPassword(site: Site, visit: Visit): Promise<Response> {
  const { form, from, userAgent } = visit;
  const returnTo = safeReturn(form.get("returnTo"), site.origin);
  const name = form.get("name") ?? "";
  const outcome = await site.engine.reviewing.signInWithPassword({
    name,
    password: form.get("password") ?? "",
    from,
    userAgent,
  });
  switch (outcome.kind) {
    case "signed_in":
      await dropOld(site, visit);
      return seeOther(returnTo, sessionCookie(site, outcome));
    case "refused":
      return page(site, 403, { returnTo, name, trouble: copy.signIn.refused });
    case "rate_limited":
      return page(
        site,
        429,
        { returnTo, name, trouble: copy.signIn.limited(outcome.retryAfterSeconds) },
        { "retry-after": String(outcome.retryAfterSeconds) },
      );
  }
}

async function withPasskey(site: Site, visit: Visit): Promise<Response> {
  const { json, from, userAgent } = visit;
  const outcome = await site.engine.reviewing.signInWithPasskey({
    challengeId: textOf(json, "challengeId"),
    response: json["response"],
    from,
    userAgent,
  });
  switch (outcome.kind) {
    case "signed_in":
      await dropOld(site, visit);
      return Response.json(
        { location: safeReturn(textOf(json, "returnTo"), site.origin) },
        { headers: sessionCookie(site, outcome) },
      );
    case "refused":
      return problemJson({ status: 403, title: copy.errors.title, detail: copy.signIn.passkeyRefused });
    case "rate_limited":
      return problemJson(
        {
          status: 429,
          title: copy.errors.title,
          detail: copy.signIn.limited(outcome.retryAfterSeconds),
          code: "rate_limited",
        },
        { "retry-after": String(outcome.retryAfterSeconds) },
      );
  }
}

/** A browser has one session: what its cookie named before ends, so that no older value lives on. */
async function dropOld(site: Site, visit: Visit): Promise<void> {
  const old = visit.session ?? (await readSession(site, visit.request));
  if (old !== undefined) await site.engine.reviewing.signOut(old);
}

async function page(
  site: Site,
  status: number,
  shown: { returnTo: string; name: string; trouble: string | undefined },
  headers: Record<string, string> = {},
): Promise<Response> {
  const setupOpen = await site.engine.reviewing.setupOpen();
  return html(
    status,
    SignInPage({ frame: frameOf(site, undefined), passkeys: site.passkeys, setupOpen, ...shown }),
    headers,
  );
}
