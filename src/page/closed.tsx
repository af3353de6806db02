/** What became of an approval: who closed it, when, and what happens next. */
import type { Approval, Identified } from "../approval/approval.ts";
import type { CountedDecision } from "../approval/approvals.ts";
import { copy } from "./copy.tsx";
import { type Frame, Layout } from "./layout.tsx";
import { Ask, RequesterFacts } from "./requester.tsx";
import { Shown } from "./review.tsx";
import { brief, Outside, plain } from "./text.tsx";
import { absoluteTime, When } from "./time.tsx";

export interface ClosedProps {
  readonly frame: Frame;
  /** Not pending. */
  readonly approval: Approval;
  readonly decisions: readonly CountedDecision[];
  readonly closedBy: Identified | null;
  /** True after a press that came too late. */
  readonly lost: boolean;
}

export function ClosedPage({ frame, approval, decisions, closedBy, lost }: ClosedProps) {
  const word = outcomeWord(approval);
  return (
    <Layout frame={frame} title={`${word}: ${brief(approval.message, 60)}`}>
      <article class="sheet">
        <section class={`outcome ${outcome(approval)}`}>
          <h1 id="result" tabindex={-1} autofocus>
            {sentence(approval, closedBy)}
          </h1>
          {lost && <p>{copy.closed.lost}</p>}
          <Aftermath approval={approval} now={frame.now} />
          <p>
            <a class="button" href="/">
              {copy.closed.next}
            </a>
          </p>
        </section>
        {decisions.length > 0 && <Decisions decisions={decisions} />}
        <Ask approval={approval} level="h2" />
        <Shown approval={approval} title={copy.closed.asked} />
        <details class="about">
          <summary>{copy.requester.details}</summary>
          <RequesterFacts approval={approval} now={frame.now} />
        </details>
      </article>
    </Layout>
  );
}

type Outcome = "submitted" | "declined" | "canceled" | "expired";

/** `consumed` never hides yes from no. */
export function outcome(approval: Approval): Outcome {
  if ("decision" in approval) return approval.decision;
  return approval.status === "canceled" ? "canceled" : "expired";
}

export function outcomeWord(approval: Approval): string {
  return copy.closed[outcome(approval)];
}

/** `Declined by Anna at 12:31:05 UTC on 30 November 2026`. */
export function sentence(approval: Approval, closedBy: Identified | null): string {
  const at = absoluteTime("closedAt" in approval ? approval.closedAt : approval.expiresAt);
  const word = outcomeWord(approval);
  if (approval.status === "canceled" && closedBy?.id === approval.requester.agent.id)
    return copy.closed.byRequester(at);
  return closedBy === null ? copy.closed.at(word, at) : copy.closed.by(word, plain(closedBy.name), at);
}

function Aftermath({ approval, now }: { approval: Approval; now: number }) {
  switch (approval.status) {
    case "expired":
      return <p>{copy.closed.expiredNote}</p>;
    case "canceled":
      return (
        <>
          <p>{copy.closed.canceledNote}</p>
          {approval.reason !== null && (
            <p class="quote">
              {copy.closed.reason}: <Outside text={approval.reason} />
            </p>
          )}
        </>
      );
    case "consumed":
      return (
        <p>
          {copy.closed.consumed} <When at={approval.consumedAt} now={now} />.
        </p>
      );
    default:
      return <p>{copy.closed.waiting}</p>;
  }
}

function Decisions({ decisions }: { decisions: readonly CountedDecision[] }) {
  return (
    <ul class="decisions">
      {decisions.map((decision) => (
        <li>
          <strong>
            <Outside text={decision.reviewer.name} />
          </strong>
          , {copy.closed[decision.decision].toLowerCase()} at{" "}
          <time datetime={new Date(decision.at).toISOString()}>{absoluteTime(decision.at)}</time>, {copy.closed.proved}{" "}
          {copy.closed.assurance[decision.assurance]}
          {decision.comment !== null && (
            <p class="quote">
              <Outside text={decision.comment} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
