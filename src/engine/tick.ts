/** The server's tick: what time alone brings about, written down. Nothing depends on it being on time. */
import { clearLapsedIntents, dropLapsedIntents } from "../store/intents.ts";
import type { EngineDeps } from "./deps.ts";
import { dropLapsedIdentity } from "./drop_lapsed.ts";
import { expireDue } from "./expire.ts";

/** How often lapsed sessions, challenges and intents are swept, in milliseconds. */
const SWEEP_MS = 60_000;
/** Burned and lapsed intents stay this long, so that a late second click is still led to its decision. */
const INTENT_KEPT_MS = 60 * 60_000;

export function newTick(deps: EngineDeps): () => Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await expireDue(deps);
    const now = deps.now();
    // A clock set back must not stop the sweep.
    if (now >= sweptAt && now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    await deps.db.transaction(async (tx) => {
      await clearLapsedIntents(tx, deps.workspace, now);
      await dropLapsedIntents(tx, deps.workspace, now - INTENT_KEPT_MS);
    });
    await dropLapsedIdentity(deps, now);
  };
}
