/** `/confirm`: the prepared decision with exactly what the agent will receive, and the proof that makes it so. */
import { isPending } from "../approval/approval.ts";
import type { FieldProblem } from "../approval/form.ts";
import type { PreparedIntent, Proof, Session } from "../engine/engine.ts";
import { ConfirmPage } from "../page/confirm.tsx";
import { copy } from "../page/copy.tsx";
import { isTwin, proofTrouble, settled } from "./outcome.ts";
import { problemJson, shown } from "./problem.ts";
import { type Entry, type SignedIn, textOf } from "./route.ts";
import { frameOf, html, proofAsked, reviewPath, seeOther, type Site } from "./site.ts";

export function confirmRoutes(site: Site): readonly Entry[] {
  return [
    { method: "GET", path: "/confirm", who: "reviewer", handle: (visit) => look(site, visit) },
    { method: "POST", path: "/confirm", who: "reviewer", body: "form", handle: (visit) => press(site, visit) },
    {
      method: "POST",
      path: "/confirm/passkey/options",
      who: "reviewer",
      body: "json",
      handle: (visit) => options(site, visit),
    },
    { method: "POST", path: "/confirm/passkey", who: "reviewer", body: "json", handle: (visit) => touch(site, visit) },
  ];
}

/** A typed password, or no more than the session itself. */
export function proofOf(form: URLSearchParams): Proof {
  const password = form.get("password") ?? "";
  return password === "" ? { kind: "session" } : { kind: "password", password };
}

async function look(site: Site, visit: SignedIn): Promise<Response> {
  const prepared = await site.engine.reviewing.intent(visit.session, intentIdOf(visit));
  if (prepared === undefined) return lapsed(site, visit, undefined);
  // Closed meanwhile: there is nothing left to confirm, and the approval's own page says by whom.
  if (!isPending(prepared.approval)) return seeOther(reviewPath(prepared.approval.id));
  return confirmPage(site, visit.session, prepared, 200, []);
}

async function press(site: Site, visit: SignedIn): Promise<Response> {
  const { session, form } = visit;
  const intentId = intentIdOf(visit);
  const { reviewing } = site.engine;
  // Read before it is burned: the decision is needed to know a twin click from a lost race.
  const prepared = await reviewing.intent(session, intentId);
  const decided = await reviewing.decide(session, intentId, proofOf(form), visit.from);
  switch (decided.kind) {
    case "decided":
      return seeOther(reviewPath(decided.approval.id));
    case "closed":
      return settled(site, session, decided.viewed, prepared?.intent.decision);
    case "forbidden":
      return shown(site, visit, { status: 403, title: copy.review.late, detail: decided.reason, code: "forbidden" });
    case "lapsed":
      return lapsed(site, visit, form.get("elicitationId") ?? undefined);
    case "proof_required": {
      if (prepared === undefined) return lapsed(site, visit, form.get("elicitationId") ?? undefined);
      // The twin of this press may have decided while its own proof was turned down.
      const after = await reviewing.view(session, prepared.approval.id);
      if (after !== undefined && !isPending(after.approval))
        return settled(site, session, after, prepared.intent.decision);
      const { status, message } = proofTrouble(decided.reason, session, "password");
      return confirmPage(site, session, { ...prepared, proofNeeded: true }, status, [{ field: "password", message }]);
    }
  }
}

async function options(site: Site, visit: SignedIn): Promise<Response> {
  const intentId = textOf(visit.json, "intentId");
  const found = await site.engine.reviewing.passkeyOptions(visit.session, intentId);
  if (found === undefined)
    return problemJson({
      status: 409,
      title: copy.problem.lapsed,
      detail: copy.problem.lapsedText,
      code: "proof_required",
    });
  return Response.json({ intentId, options: found });
}

async function touch(site: Site, visit: SignedIn): Promise<Response> {
  const { session, json } = visit;
  const { reviewing } = site.engine;
  const intentId = textOf(json, "intentId");
  const prepared = await reviewing.intent(session, intentId);
  const decided = await reviewing.decide(
    session,
    intentId,
    { kind: "passkey", response: json["response"] },
    visit.from,
  );
  switch (decided.kind) {
    case "decided":
      return Response.json({ location: reviewPath(decided.approval.id) });
    case "closed": {
      const location = reviewPath(decided.viewed.approval.id);
      if (isTwin(session, decided.viewed, prepared?.intent.decision)) return Response.json({ location });
      return problemJson({ status: 409, title: copy.review.late, detail: copy.closed.lost, location });
    }
    case "lapsed":
      return problemJson({
        status: 409,
        title: copy.problem.lapsed,
        detail: copy.problem.lapsedText,
        code: "proof_required",
      });
    case "forbidden":
      return problemJson({ status: 403, title: copy.review.late, detail: decided.reason, code: "forbidden" });
    case "proof_required": {
      const { status, message } = proofTrouble(decided.reason, session, "passkey");
      return problemJson({ status, title: copy.errors.title, detail: message, code: "proof_required" });
    }
  }
}

/** The intent is used, too old, or was never this session's. @param approvalId What the page said it was about. */
async function lapsed(site: Site, visit: SignedIn, approvalId: string | undefined): Promise<Response> {
  const viewed = approvalId === undefined ? undefined : await site.engine.reviewing.view(visit.session, approvalId);
  if (viewed !== undefined && viewed.approval.status !== "pending")
    return settled(site, visit.session, viewed, undefined);
  const problem = {
    status: viewed === undefined ? 404 : 409,
    title: copy.problem.lapsed,
    detail: copy.problem.lapsedText,
    code: "proof_required",
  };
  return shown(
    site,
    visit,
    problem,
    viewed === undefined ? {} : { onward: { href: reviewPath(viewed.approval.id), words: copy.problem.again } },
  );
}

function confirmPage(
  site: Site,
  session: Session,
  prepared: PreparedIntent,
  status: number,
  problems: readonly FieldProblem[],
): Response {
  const page = ConfirmPage({
    frame: frameOf(site, session),
    intentId: prepared.intentId,
    approval: prepared.approval,
    decision: prepared.intent.decision,
    answer: prepared.answer,
    comment: prepared.comment,
    until: prepared.intent.expiresAt,
    proof: proofAsked(site, session, prepared.proofNeeded),
    csrf: session.csrf,
    problems,
  });
  return html(status, page);
}

function intentIdOf({ url }: SignedIn): string {
  return url.searchParams.get("intent") ?? "";
}
