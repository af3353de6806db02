/** Drops what has ended by itself: sessions, begun ceremonies and codes. None of it was good any more; this is only tidying. */
import { dropLapsedChallenges } from "../store/challenges.ts";
import { dropLapsedCodes } from "../store/codes.ts";
import { dropLapsedSessions } from "../store/sessions.ts";
import type { EngineDeps } from "./deps.ts";

/** Codes are kept for a day after their end, so that an operator who asks can still see what happened. */
const CODES_KEPT_MS = 24 * 60 * 60_000;

/** @param now Epoch milliseconds. */
export async function dropLapsedIdentity(deps: EngineDeps, now: number): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await dropLapsedSessions(tx, deps.workspace, now);
    await dropLapsedChallenges(tx, deps.workspace, now);
    await dropLapsedCodes(tx, deps.workspace, now - CODES_KEPT_MS);
  });
}
