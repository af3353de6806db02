/** Between prepare and decide: exactly what the agent will receive, and one press. */
import type { Approval, Decision } from "../approval/approval.ts";
import type { FieldProblem } from "../approval/form.ts";
import type { JsonValue } from "../approval/json_text.ts";
import { NoDefault, type ProofAsked, ProofFields } from "./bar.tsx";
import { copy } from "./copy.tsx";
import { ErrorSummary, type Frame, Layout, ScriptAlert } from "./layout.tsx";
import { Payload } from "./payload.tsx";
import { Ask } from "./requester.tsx";
import { brief, Outside } from "./text.tsx";
import { absoluteTime } from "./time.tsx";

export interface ConfirmProps {
  readonly frame: Frame;
  readonly intentId: string;
  readonly approval: Approval;
  readonly decision: Decision;
  readonly answer: { readonly [name: string]: JsonValue } | null;
  readonly comment: string | null;
  /** When the intent lapses. Epoch milliseconds. */
  readonly until: number;
  readonly proof: ProofAsked;
  readonly csrf: string;
  readonly problems: readonly FieldProblem[];
}

export function ConfirmPage({
  frame,
  intentId,
  approval,
  decision,
  answer,
  comment,
  until,
  proof,
  csrf,
  problems,
}: ConfirmProps) {
  const title = copy.confirm.title[decision];
  const wrong = problems.find(({ field }) => field === "password")?.message;
  return (
    <Layout
      frame={frame}
      title={`${problems.length > 0 ? "Check: " : ""}${title}: ${brief(approval.message, 60)}`}
      passkeys={proof.needed && proof.passkey}
      expiresAt={until}
    >
      <form
        id="decide"
        class="decide"
        method="post"
        action={`/confirm?intent=${encodeURIComponent(intentId)}`}
        novalidate
        data-passkey={proof.needed && proof.passkey ? "confirm" : undefined}
        data-intent={intentId}
        data-approval={approval.id}
      >
        <NoDefault />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="elicitationId" value={approval.id} />
        <div class="sheet">
          <ErrorSummary errors={problems.map(({ field, message }) => ({ message, href: `#${field}` }))} />
          <ScriptAlert />
          <h1>{title}</h1>
          <p class="quiet">
            {copy.confirm.unsent} {copy.confirm.until}{" "}
            <time datetime={new Date(until).toISOString()}>{absoluteTime(until)}</time>.
          </p>
          <section class="block">
            <h2>{copy.confirm.receives}</h2>
            {answer !== null ? (
              <Payload text={JSON.stringify(answer)} label={copy.confirm.receives} end={copy.confirm.end} />
            ) : (
              <p>{decision === "declined" ? copy.confirm.receivesNothing : copy.confirm.receivesPayload}</p>
            )}
          </section>
          {decision === "submitted" && approval.contextText !== null && (
            <details class="block">
              <summary>{copy.confirm.context}</summary>
              <Payload text={approval.contextText} label={copy.confirm.context} end={copy.payload.end} />
            </details>
          )}
          {comment !== null && (
            <section class="block">
              <h2>{copy.confirm.comment}</h2>
              <p class="quote">
                <Outside text={comment} />
              </p>
            </section>
          )}
          <Ask approval={approval} level="h2" />
        </div>
        <section class="bar" aria-label={copy.decide.bar}>
          <ProofFields proof={proof} problem={wrong} />
          <div class="buttons">
            <a class="button" href={`/review?elicitationId=${approval.id}&intent=${encodeURIComponent(intentId)}`}>
              {copy.confirm.back}
            </a>
            <button class={decision === "submitted" ? "submit" : "decline"} data-decision={decision}>
              <span class="label">{copy.confirm.button}</span>
            </button>
          </div>
        </section>
      </form>
    </Layout>
  );
}
