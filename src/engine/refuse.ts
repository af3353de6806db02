/** A decision that came too late or lost the race: noted in the trail, with who tried what; it changes nothing. */
import { type Approval, type Decision, isPending, standingAt } from "../approval/approval.ts";
import type { EventDraft } from "../approval/event.ts";
import { DatabaseUnavailable } from "../store/database.ts";
import { appendEvent } from "../store/events.ts";
import { announce } from "./close.ts";
import type { EngineDeps } from "./deps.ts";
import type { Reviewer } from "./engine.ts";
import { newEvent, reviewerActor } from "./events.ts";
import { expireOne } from "./expire.ts";

export function refusalEvent(
  deps: EngineDeps,
  reviewer: Reviewer,
  approvalId: string,
  tried: Decision,
  at: number,
): EventDraft {
  return newEvent(deps, {
    stream: approvalId,
    type: "decision_refused",
    actor: reviewerActor(reviewer),
    at,
    body: { tried },
  });
}

/** Also writes a due expiry, since this is the next write on that approval. */
export async function recordRefusal(
  deps: EngineDeps,
  reviewer: Reviewer,
  approval: Approval,
  tried: Decision,
  now: number,
): Promise<void> {
  const standing = standingAt(approval, now);
  if (isPending(standing)) return;
  const event = refusalEvent(deps, reviewer, approval.id, tried, now);
  try {
    const expiredNow = await deps.db.transaction(async (tx) => {
      const written = standing.status === "expired" && (await expireOne(deps, tx, approval, now));
      await appendEvent(tx, event);
      return written;
    });
    if (expiredNow) announce(deps, approval.id);
  } catch (error) {
    // The answer to the reviewer is the same: it is closed. Only the note is lost with the store.
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}
