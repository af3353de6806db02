/**
 * The orderly end: waiting calls are answered `pending` and every answer under way is written, before anything closes.
 *
 * A wait lives in the engine and its answer in an HTTP stream; neither knows that the process is about to end. So the
 * waits are held here, and let go all at once.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Approvals } from "../approval/approvals.ts";
import type { Clock } from "../engine/clock.ts";

export interface Leaving {
  /** The same port, whose waits end early once {@link leave} was called. */
  holding(approvals: Approvals): Approvals;
  /** Counts this request as one to be answered; not so a GET for a stream of events, which has no end of its own. */
  count(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the waits. Resolves when every counted request is answered, or after `ms`. */
  leave(ms: number): Promise<void>;
}

export function newLeaving(clock: Clock): Leaving {
  const waits = new Set<AbortController>();
  let left = false;
  let open = 0;
  let answered = (): void => {};

  return {
    holding(approvals) {
      return {
        ...approvals,
        async wait(id, options) {
          const controller = new AbortController();
          const abort = (): void => controller.abort();
          if (left || options?.signal?.aborted) abort();
          options?.signal?.addEventListener("abort", abort, { once: true });
          waits.add(controller);
          try {
            return await approvals.wait(id, { ...options, signal: controller.signal });
          } finally {
            waits.delete(controller);
            options?.signal?.removeEventListener("abort", abort);
          }
        },
      };
    },
    count(request, response) {
      if (request.method === "GET" && request.headers.accept?.includes("text/event-stream")) return;
      open += 1;
      response.once("close", () => {
        open -= 1;
        if (open === 0) answered();
      });
    },
    async leave(ms) {
      left = true;
      for (const controller of waits) controller.abort();
      if (open === 0) return;
      await new Promise<void>((resolve) => {
        const callOff = clock.timer(ms, resolve);
        answered = () => {
          callOff();
          resolve();
        };
      });
    },
  };
}
