/** What a press leads to: the result page, the page again with what is missing, or who was first. */
import type { Decision } from "../approval/approval.ts";
import type { Decided, Session, Viewed } from "../engine/engine.ts";
import { ClosedPage } from "../page/closed.tsx";
import { copy } from "../page/copy.tsx";
import { frameOf, html, reviewPath, seeOther, type Site } from "./site.ts";

/** The page of a closed approval. @param lost True after a press that changed nothing. */
export function closedPage(site: Site, session: Session, viewed: Viewed, lost: boolean): Response {
  const { approval, decisions, closedBy } = viewed;
  return html(lost ? 409 : 200, ClosedPage({ frame: frameOf(site, session), approval, decisions, closedBy, lost }));
}

/** True when this very person has decided so: the second press of a double click, whose first one counted. */
export function isTwin(session: Session, viewed: Viewed, decision: Decision | undefined): boolean {
  return viewed.decisions.some(
    (made) => made.reviewer.id === session.reviewer.id && (decision === undefined || made.decision === decision),
  );
}

/** After a press on something closed: never an error for the person who succeeded. */
export function settled(site: Site, session: Session, viewed: Viewed, decision: Decision | undefined): Response {
  return isTwin(session, viewed, decision)
    ? seeOther(reviewPath(viewed.approval.id))
    : closedPage(site, session, viewed, true);
}

export interface ProofTrouble {
  readonly status: number;
  readonly message: string;
}

/** What to tell somebody whose proof did not do; what they typed is kept. */
export function proofTrouble(
  reason: Extract<Decided, { kind: "proof_required" }>["reason"],
  session: Session,
  way: "password" | "passkey",
): ProofTrouble {
  switch (reason) {
    case "rate_limited":
      return { status: 429, message: copy.decide.limited };
    case "wrong":
      return { status: 403, message: way === "passkey" ? copy.decide.wrongPasskey : copy.decide.wrong };
    case "missing":
      return { status: 403, message: session.reviewer.hasPassword ? copy.decide.missing : copy.decide.missingPasskey };
  }
}
