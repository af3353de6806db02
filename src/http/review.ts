/** `/review`: look, and prepare. In JSON mode, and for any decline, one press prepares and decides. */
import { type Decision, isPending } from "../approval/approval.ts";
import type { FieldProblem, PostedAnswers } from "../approval/form.ts";
import type { PrepareInput, Session, Viewed } from "../engine/engine.ts";
import { copy } from "../page/copy.tsx";
import { ReviewPage } from "../page/review.tsx";
import { readAnswers, refill } from "./answers.ts";
import { proofOf } from "./confirm.ts";
import { closedPage, isTwin, proofTrouble, settled } from "./outcome.ts";
import { notFound, problemJson, shown } from "./problem.ts";
import { type Entry, type SignedIn, textOf } from "./route.ts";
import { frameOf, html, proofAsked, reviewPath, seeOther, type Site } from "./site.ts";

export function reviewRoutes(site: Site): readonly Entry[] {
  return [
    { method: "GET", path: "/review", who: "reviewer", handle: (visit) => look(site, visit) },
    { method: "POST", path: "/review", who: "reviewer", body: "form", handle: (visit) => press(site, visit) },
    {
      method: "POST",
      path: "/review/passkey",
      who: "reviewer",
      body: "json",
      handle: (visit) => preparePasskey(site, visit),
    },
  ];
}

async function look(site: Site, visit: SignedIn): Promise<Response> {
  const { session, url } = visit;
  const viewed = await site.engine.reviewing.view(session, approvalIdOf(visit));
  if (viewed === undefined) return notFound(site, visit);
  if (!isPending(viewed.approval)) return closedPage(site, session, viewed, false);
  // Coming back from the confirm page: what was prepared is filled in again.
  const intentId = url.searchParams.get("intent");
  const prepared = intentId === null ? undefined : await site.engine.reviewing.intent(session, intentId);
  const again = prepared?.approval.id === viewed.approval.id ? prepared : undefined;
  const posted = again?.answer === null || again === undefined ? undefined : refill(again.answer);
  return reviewPage(site, session, viewed, { status: 200, posted, comment: again?.comment ?? "" });
}

async function press(site: Site, visit: SignedIn): Promise<Response> {
  const { session, form } = visit;
  const { reviewing } = site.engine;
  const viewed = await reviewing.view(session, approvalIdOf(visit));
  if (viewed === undefined) return notFound(site, visit);
  const decision = readDecisionWord(form.get("decision"));
  if (decision === undefined) {
    return isPending(viewed.approval)
      ? reviewPage(site, session, viewed, { status: 400, ...typed(visit, viewed) })
      : closedPage(site, session, viewed, true);
  }
  const { posted, comment } = typed(visit, viewed);
  const prepared = await reviewing.prepare(
    session,
    prepareInput(viewed, decision, form.get("requestDigest") ?? "", comment, posted),
  );
  switch (prepared.kind) {
    case "not_found":
      return notFound(site, visit);
    case "closed":
      return settled(site, session, prepared.viewed, decision);
    case "changed":
      return reviewPage(site, session, viewed, { status: 409, posted, comment, trouble: copy.review.changed });
    case "invalid":
      return reviewPage(site, session, viewed, { status: 422, posted, comment, problems: prepared.problems });
    case "prepared":
      break;
  }
  if (viewed.form !== null && decision === "submitted")
    return seeOther(`/confirm?intent=${encodeURIComponent(prepared.intentId)}`);

  const decided = await reviewing.decide(session, prepared.intentId, proofOf(form), visit.from);
  switch (decided.kind) {
    case "decided":
      return seeOther(reviewPath(viewed.approval.id));
    case "closed":
      return settled(site, session, decided.viewed, decision);
    case "lapsed":
      return reviewPage(site, session, viewed, { status: 409, posted, comment, trouble: copy.problem.lapsedText });
    case "forbidden":
      return shown(site, visit, { status: 403, title: copy.review.late, detail: decided.reason, code: "forbidden" });
    case "proof_required": {
      // The twin of this press may have decided while its own proof was turned down.
      const after = await reviewing.view(session, viewed.approval.id);
      if (after !== undefined && !isPending(after.approval)) return settled(site, session, after, decision);
      const { status, message } = proofTrouble(decided.reason, session, "password");
      return reviewPage(site, session, viewed, {
        status,
        posted,
        comment,
        problems: [{ field: "password", message }],
        proofNeeded: true,
      });
    }
  }
}

/** For the script: prepares a decision and returns the options of a passkey whose challenge it is. */
async function preparePasskey(site: Site, visit: SignedIn): Promise<Response> {
  const { session, json } = visit;
  const { reviewing } = site.engine;
  const decision = readDecisionWord(textOf(json, "decision"));
  const viewed = await reviewing.view(session, textOf(json, "elicitationId"));
  if (viewed === undefined || decision === undefined) return notFound(site, visit);
  if (viewed.form !== null && decision === "submitted") {
    return problemJson({
      status: 400,
      title: "A form is submitted from its page",
      detail: "Post the form to /review; its answers are confirmed before they are signed.",
      code: "invalid_request",
    });
  }
  const prepared = await reviewing.prepare(
    session,
    prepareInput(viewed, decision, textOf(json, "requestDigest"), textOf(json, "comment"), undefined),
  );
  const location = reviewPath(viewed.approval.id);
  switch (prepared.kind) {
    case "not_found":
      return notFound(site, visit);
    case "closed":
      if (isTwin(session, prepared.viewed, decision)) return Response.json({ location });
      return problemJson({ status: 409, title: copy.review.late, detail: copy.closed.lost, location });
    case "changed":
      return problemJson({
        status: 409,
        title: copy.review.changed,
        detail: copy.review.changed,
        code: "changed",
        location,
      });
    case "invalid":
      return problemJson({
        status: 422,
        title: copy.errors.title,
        detail: prepared.problems.map(({ message }) => message).join(" "),
        problems: prepared.problems,
      });
    case "prepared": {
      const options = await reviewing.passkeyOptions(session, prepared.intentId);
      if (options === undefined)
        return problemJson({
          status: 409,
          title: copy.errors.title,
          detail: copy.decide.missing,
          code: "proof_required",
        });
      return Response.json({ intentId: prepared.intentId, options });
    }
  }
}

interface Again {
  readonly status: number;
  readonly posted: PostedAnswers | undefined;
  readonly comment: string;
  readonly problems?: readonly FieldProblem[];
  readonly trouble?: string;
  readonly proofNeeded?: boolean;
}

function reviewPage(site: Site, session: Session, viewed: Viewed, again: Again): Response {
  const { approval, form, viewerOwnsRequester, recentEnrolments } = viewed;
  const page = ReviewPage({
    frame: frameOf(site, session),
    approval,
    form,
    viewerOwnsRequester,
    recentEnrolments,
    proof: proofAsked(site, session, again.proofNeeded),
    csrf: session.csrf,
    posted: again.posted,
    comment: again.comment,
    problems: again.problems ?? [],
    trouble: again.trouble,
  });
  return html(again.status, page);
}

function typed({ form }: SignedIn, viewed: Viewed): { posted: PostedAnswers | undefined; comment: string } {
  // Browsers send line ends as CR LF; shown again they must not double.
  return {
    posted: viewed.form === null ? undefined : readAnswers(viewed.form, form),
    comment: (form.get("comment") ?? "").replaceAll("\r\n", "\n"),
  };
}

function prepareInput(
  viewed: Viewed,
  decision: Decision,
  requestDigest: string,
  comment: string,
  answers: PostedAnswers | undefined,
): PrepareInput {
  return {
    approvalId: viewed.approval.id,
    decision,
    requestDigest,
    comment,
    ...(answers !== undefined && { answers }),
  };
}

function approvalIdOf({ url }: SignedIn): string {
  return url.searchParams.get("elicitationId") ?? "";
}

function readDecisionWord(word: string | null): Decision | undefined {
  return word === "submitted" || word === "declined" ? word : undefined;
}
