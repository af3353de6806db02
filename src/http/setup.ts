/** `/setup`: the first reviewer, with the one-time code. Over for good once somebody is enrolled. */
import type { FieldProblem } from "../approval/form.ts";
import type { SetupOutcome } from "../engine/engine.ts";
import { copy } from "../page/copy.tsx";
import { SetupClosedPage, SetupPage } from "../page/setup.tsx";
import { sessionCookie } from "./cookie.ts";
import { problemJson } from "./problem.ts";
import { type Entry, textOf, type Visit } from "./route.ts";
import { frameOf, html, seeOther, type Site } from "./site.ts";

export function setupRoutes(site: Site): readonly Entry[] {
  return [
    { method: "GET", path: "/setup", who: "public", handle: () => show(site, 200, { code: "", name: "" }, []) },
    { method: "POST", path: "/setup", who: "public", body: "form", handle: (visit) => withPassword(site, visit) },
    {
      method: "POST",
      path: "/setup/passkey/options",
      who: "public",
      body: "json",
      handle: (visit) => beginPasskey(site, visit),
    },
    {
      method: "POST",
      path: "/setup/passkey",
      who: "public",
      body: "json",
      handle: (visit) => withPasskey(site, visit),
    },
  ];
}

type Refused = Exclude<SetupOutcome, { kind: "enrolled" }>;

async function withPassword(site: Site, { form, from, userAgent }: Visit): Promise<Response> {
  const typed = { code: form.get("code") ?? "", name: form.get("name") ?? "" };
  const outcome = await site.engine.reviewing.setUpWithPassword({
    ...typed,
    password: form.get("password") ?? "",
    from,
    userAgent,
  });
  if (outcome.kind === "enrolled") return seeOther("/", sessionCookie(site, outcome));
  if (outcome.kind === "closed") return show(site, 409, typed, []);
  return show(site, statusOf(outcome), typed, problemsOf(outcome), retryAfter(outcome));
}

async function beginPasskey(site: Site, { json, from }: Visit): Promise<Response> {
  const outcome = await site.engine.reviewing.beginPasskeySetup({
    code: textOf(json, "code"),
    name: textOf(json, "name"),
    from,
  });
  if (outcome.kind !== "begun") return refused(outcome);
  return Response.json({ challengeId: outcome.challengeId, options: outcome.options });
}

async function withPasskey(site: Site, { json, from, userAgent }: Visit): Promise<Response> {
  const input = {
    code: textOf(json, "code"),
    name: textOf(json, "name"),
    challengeId: textOf(json, "challengeId"),
    response: json["response"],
    from,
    userAgent,
  };
  const outcome = await site.engine.reviewing.setUpWithPasskey(input);
  if (outcome.kind !== "enrolled") return refused(outcome);
  return Response.json({ location: "/" }, { headers: sessionCookie(site, outcome) });
}

async function show(
  site: Site,
  status: number,
  typed: { code: string; name: string },
  problems: readonly FieldProblem[],
  headers: Record<string, string> = {},
): Promise<Response> {
  const frame = frameOf(site, undefined);
  if (!(await site.engine.reviewing.setupOpen())) return html(status, SetupClosedPage({ frame }), headers);
  return html(status, SetupPage({ frame, passkeys: site.passkeys, ...typed, problems }), headers);
}

function refused(outcome: Refused): Response {
  const problems = problemsOf(outcome);
  const detail = outcome.kind === "closed" ? copy.setup.closed : problems.map(({ message }) => message).join(" ");
  return problemJson({ status: statusOf(outcome), title: copy.errors.title, detail, problems }, retryAfter(outcome));
}

function statusOf(outcome: Refused): number {
  return { wrong_code: 403, invalid: 422, closed: 409, rate_limited: 429 }[outcome.kind];
}

function problemsOf(outcome: Refused): readonly FieldProblem[] {
  switch (outcome.kind) {
    case "wrong_code":
      return [{ field: "code", message: copy.setup.wrongCode }];
    case "invalid":
      return outcome.problems;
    case "rate_limited":
      return [{ field: "code", message: copy.signIn.limited(outcome.retryAfterSeconds) }];
    case "closed":
      return [];
  }
}

function retryAfter(outcome: Refused): Record<string, string> {
  return outcome.kind === "rate_limited" ? { "retry-after": String(outcome.retryAfterSeconds) } : {};
}
