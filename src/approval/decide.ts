/**
 * What a reviewer may decide, and what exactly is decided: pure rules, no proof and no database.
 */
import { readPosted } from "./answer.ts";
import type { ApprovalHead, Decision } from "./approval.ts";
import type { FieldProblem, FormSchema, PostedAnswers } from "./form.ts";
import type { JsonValue } from "./json_text.ts";

/** In characters (code points). */
export const COMMENT_MAX = 2_000;

export type Answer = { readonly [name: string]: JsonValue };

export interface DecisionContent {
  /** What the agent will receive as `formSubmission`; null in JSON mode and on a decline. */
  readonly answer: Answer | null;
  readonly comment: string | null;
}

export type ReadDecision =
  | ({ readonly kind: "ready" } & DecisionContent)
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] };

/**
 * Reads what a reviewer sent with a decision. A decline carries no answer, whatever stands in the form's fields.
 *
 * @param form The approval's form; null in JSON mode.
 */
export function readDecision(
  form: FormSchema | null,
  sent: { readonly decision: Decision; readonly answers?: PostedAnswers; readonly comment?: string },
): ReadDecision {
  const problems: FieldProblem[] = [];
  const comment = readComment(sent.comment, problems);
  let answer: Answer | null = null;
  if (form !== null && sent.decision === "submitted") {
    const read = readPosted(form, sent.answers ?? new Map());
    if (read.ok) answer = read.answer;
    else problems.push(...read.problems);
  }
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "ready", answer, comment };
}

function readComment(sent: string | undefined, problems: FieldProblem[]): string | null {
  // Browsers send line ends as CR LF; the comment is stored with plain ones.
  const comment = sent?.replaceAll("\r\n", "\n").trim();
  if (comment === undefined || comment === "") return null;
  if (!comment.isWellFormed() || comment.includes("\0"))
    problems.push({ field: "comment", message: "The comment holds characters that cannot be stored. Type it again." });
  else if ([...comment].length > COMMENT_MAX)
    problems.push({
      field: "comment",
      message: `The comment may have at most ${COMMENT_MAX.toLocaleString("en")} characters.`,
    });
  return comment;
}

/** Whether the reviewer is the person the requesting agent works for: allowed by default, always told. */
export function ownsRequester(approval: ApprovalHead, reviewerId: string): boolean {
  return approval.requester.owner?.id === reviewerId;
}

/** Why this reviewer may not decide this approval, as a sentence; undefined when they may. */
export function refusalFor(approval: ApprovalHead, reviewerId: string): string | undefined {
  if (approval.policy.fourEyes && ownsRequester(approval, reviewerId))
    return "The agent that asks works for you, and this approval needs somebody else.";
  return undefined;
}
