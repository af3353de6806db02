/**
 * URL-mode elicitation on connections before 2026-07-28: offering the link to the host, and telling it when it is over.
 *
 * Both are a courtesy. What the host answers is not a decision and is dropped; a notice that does not arrive changes
 * nothing, because the agent finds the outcome by asking.
 */
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Offer } from "./tool.ts";

/** How many offers of one connection may wait for their answer or their end; more are not made. */
export const MAX_OFFERS = 200;
/** How long the SDK keeps an unanswered offer, in milliseconds. */
const ANSWER_MS = 10 * 60_000;

export interface Pushes {
  /** Writes the offer to the call's own stream. @returns true when it was written and the stream was still open. */
  offer(ctx: ServerContext, offer: Offer, isOpen: () => boolean): Promise<boolean>;
  /** Tells the host that an offered elicitation is over, if this connection offered it. Never fails. */
  complete(elicitationId: string): void;
}

export function newPushes(mcp: McpServer): Pushes {
  /** Offered and not yet over. */
  const offered = new Set<string>();
  let unanswered = 0;

  return {
    async offer(ctx, { elicitationId, message, url }, isOpen) {
      if (unanswered >= MAX_OFFERS || !isOpen()) return false;
      let failed = false;
      unanswered += 1;
      ctx.mcpReq
        // Without relatedRequestId it would go to the GET stream, which many hosts never open.
        .elicitInput(
          { mode: "url", message, url, elicitationId },
          { relatedRequestId: ctx.mcpReq.id, timeout: ANSWER_MS },
        )
        .catch(() => {
          failed = true;
        })
        .finally(() => {
          unanswered -= 1;
        });
      // The SDK writes at once; a write that fails is known a turn later. The person is not waited for.
      await new Promise((resolve) => setImmediate(resolve));
      if (failed || !isOpen()) return false;
      if (offered.size >= MAX_OFFERS) offered.delete(offered.values().next().value ?? "");
      offered.add(elicitationId);
      return true;
    },
    complete(elicitationId) {
      if (!offered.delete(elicitationId)) return;
      try {
        mcp.server
          .createElicitationCompletionNotifier(elicitationId)()
          .catch(() => undefined);
      } catch {
        // The host no longer declares the capability: there is nobody to tell.
      }
    },
  };
}
