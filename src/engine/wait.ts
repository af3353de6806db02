/** Waiting for a decision: register, then read, then sleep; then read again. See `waiters.ts` for why in that order. */
import { isPending, standingAt } from "../approval/approval.ts";
import type { Waited } from "../approval/approvals.ts";
import { readWaitSeconds } from "../approval/inputs.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { headOf, readId, toStanding } from "./status.ts";

export interface WaitOptions {
  readonly waitSeconds?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export async function wait(
  deps: EngineDeps,
  agent: Agent,
  id: unknown,
  { waitSeconds, signal }: WaitOptions = {},
): Promise<Waited> {
  const windowMs = readWaitSeconds(waitSeconds, deps.awaitMaxSeconds) * 1_000;
  const started = deps.now();
  using waiter = deps.waiters.register(readId(id));
  for (;;) {
    waiter.clear();
    const stored = await headOf(deps, agent, id);
    const now = deps.now();
    // A clock that jumps back must not lengthen the wait, nor a jump forward make it negative.
    const waitedMs = Math.max(0, now - started);
    const leftMs = windowMs - waitedMs;
    const over = leftMs <= 0 || signal?.aborted || deps.waiters.ended;
    if (over || !isPending(standingAt(stored, now))) return { ...toStanding(stored, now), waitedMs };
    await waiter.sleep(Math.min(leftMs, stored.expiresAt - now), signal);
  }
}
