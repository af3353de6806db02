/** Errors as answers: RFC 9457 for machines, a page for people. One table from code to status. */
import { randomUUID } from "node:crypto";
import { ApprovalError, type ErrorCode } from "../approval/errors.ts";
import { copy } from "../page/copy.tsx";
import { ProblemPage } from "../page/problem.tsx";
import { wantsJson } from "./paths.ts";
import type { Visit } from "./route.ts";
import { frameOf, html, type Site } from "./site.ts";

export const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  too_large: 413,
  secret_field: 400,
  unsupported_schema: 400,
  unsafe_number: 400,
  not_supported: 400,
  idempotency_conflict: 409,
  unknown_policy: 400,
  unknown_reviewer: 400,
  not_found: 404,
  pending: 409,
  expired: 409,
  canceled: 409,
  already_decided: 409,
  already_claimed: 409,
  changed: 409,
  forbidden: 403,
  proof_required: 403,
  setup_required: 409,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
};

/** What pages call these codes; the rest is told by the error's own sentence under a plain title. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  not_found: copy.problem.notFound,
  rate_limited: "Too many tries",
  unavailable: "The store cannot be reached or written",
  internal: "Something went wrong here",
  forbidden: "This is not allowed",
};

export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code?: string;
  /** Further members, such as `location` or `problems`. */
  readonly [extension: string]: unknown;
}

/** An `application/problem+json` answer (RFC 9457). */
export function problemJson(problem: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

/** For refusals before there is a visit: short words, no page, nothing of ours in it. */
export function refusal(
  request: Request,
  status: number,
  title: string,
  detail: string,
  headers: Record<string, string> = {},
): Response {
  if (wantsJson(request, new URL(request.url).pathname)) return problemJson({ status, title, detail }, headers);
  return new Response(`${title}\n\n${detail}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

/** The one answer for unknown, foreign and malformed ids and for addresses that lead nowhere. */
export function notFound(site: Site, visit: Visit): Response {
  return shown(site, visit, {
    status: 404,
    title: copy.problem.notFound,
    detail: copy.problem.notFoundText,
    code: "not_found",
  });
}

export function shown(
  site: Site,
  visit: Visit,
  problem: Problem,
  {
    headers = {},
    reference,
    onward,
  }: { headers?: Record<string, string>; reference?: string; onward?: { href: string; words: string } } = {},
): Response {
  if (wantsJson(visit.request, visit.url.pathname))
    return problemJson(reference === undefined ? problem : { ...problem, instance: `urn:uuid:${reference}` }, headers);
  return html(
    problem.status,
    ProblemPage({ frame: frameOf(site, visit.session), title: problem.title, text: problem.detail, reference, onward }),
    headers,
  );
}

/** Whatever was thrown. Faults of ours are reported once, here, and shown by a reference only. */
export function thrown(site: Site, visit: Visit, error: unknown): Response {
  if (error instanceof ApprovalError && error.code !== "internal") {
    const headers: Record<string, string> =
      error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) };
    if (error.code === "unavailable") site.report({ id: randomUUID(), where: where(visit), error });
    const title = TITLES[error.code] ?? "This cannot be done";
    return shown(
      site,
      visit,
      { status: STATUS[error.code], title, detail: error.message, code: error.code },
      { headers },
    );
  }
  const id = randomUUID();
  // Who hangs up in the middle of a body is no fault of ours, and reads no answer.
  if (!visit.request.signal.aborted) site.report({ id, where: where(visit), error });
  // The database's own refusal reaches us where no verb expected it.
  const unavailable = error instanceof Error && error.name === "DatabaseUnavailable";
  const code = unavailable ? "unavailable" : "internal";
  const detail = unavailable
    ? "Nothing was changed. Try again in a moment."
    : "Nothing was decided by this request. Try again; if it happens again, tell the operator.";
  return shown(site, visit, { status: STATUS[code], title: TITLES[code] ?? "", detail, code }, { reference: id });
}

function where(visit: Visit): string {
  return `${visit.request.method} ${visit.url.pathname}`;
}
