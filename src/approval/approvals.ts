/**
 * The port `Approvals`: what one requester can do, whatever stands behind it (the engine in this process,
 * or a server reached over HTTP). Types only. A port is bound to one requester; ids of others are `not_found`.
 *
 * Inputs are `unknown` where they come from a model: whoever implements the port validates them and throws
 * {@link ApprovalError}. Times are epoch milliseconds.
 */
import type { Assurance, Decision, Identified, Status } from "./approval.ts";

/** Arguments of a new approval, not yet validated. Members not named here are reported in `ignored`. */
export interface ApprovalInput {
  readonly message?: unknown;
  /** The payload as JSON **text**, exactly as received; absent when there is none. */
  readonly context?: string | undefined;
  readonly requestedSchema?: unknown;
  readonly displayTemplate?: unknown;
  readonly labels?: unknown;
  readonly expiresInSeconds?: unknown;
  readonly idempotencyKey?: unknown;
  readonly [other: string]: unknown;
}

export interface RequestOptions {
  /** What the host program says it is; shown to the reviewer as a claim. */
  readonly client?: { readonly name: string; readonly version: string } | undefined;
}

export interface Requested {
  readonly id: string;
  /** `pending` for a new one; with an idempotency key, how the earlier one stands. */
  readonly status: Status;
  readonly decision: Decision | undefined;
  readonly expiresAt: number;
  readonly contextDigest: string | null;
  /** True when an idempotency key found an earlier approval. */
  readonly repeated: boolean;
  /** Names of the inputs that nothing here understands; empty when all were used. */
  readonly ignored: readonly string[];
  /** False while no reviewer is enrolled: nobody can decide yet. */
  readonly reviewable: boolean;
}

export interface Standing {
  readonly id: string;
  readonly status: Status;
  readonly decision: Decision | undefined;
  readonly expiresAt: number;
  readonly decidedAt: number | undefined;
}

export interface Waited extends Standing {
  readonly waitedMs: number;
}

export interface CountedDecision {
  readonly reviewer: Identified;
  readonly decision: Decision;
  readonly at: number;
  readonly assurance: Assurance;
  readonly comment: string | null;
}

export type Result =
  | { readonly kind: "pending"; readonly expiresAt: number }
  | { readonly kind: "expired"; readonly at: number }
  | { readonly kind: "canceled"; readonly at: number }
  | { readonly kind: "already_claimed" }
  | {
      readonly kind: "decided";
      readonly id: string;
      readonly decision: Decision;
      readonly contextText: string | null;
      readonly contextDigest: string | null;
      /** The validated answer as JSON text; null in JSON mode and on a decline. */
      readonly answerText: string | null;
      readonly decisions: readonly CountedDecision[];
      readonly decidedBy: Identified;
      readonly decidedAt: number;
      /** The lowest among the counted decisions. */
      readonly assurance: Assurance;
      /** Present when a claim key was given and the decision was `submitted`. */
      readonly claimed?: true;
    };

export type Canceled =
  | { readonly kind: "canceled"; readonly standing: Standing }
  | { readonly kind: "already_decided"; readonly standing: Standing; readonly by: Identified | undefined }
  | { readonly kind: "expired"; readonly standing: Standing };

export interface ListedApproval extends Standing {
  readonly message: string;
  readonly createdAt: number;
  readonly idempotencyKey: string | null;
}

export interface ListQuery {
  readonly status?: unknown;
  readonly limit?: unknown;
  readonly cursor?: unknown;
  readonly idempotencyKey?: unknown;
}

export interface ListPage {
  readonly items: readonly ListedApproval[];
  readonly nextCursor: string | undefined;
}

export interface Approvals {
  /** Stores a new approval, or returns the earlier one for the same idempotency key and input. */
  request(input: ApprovalInput, options?: RequestOptions): Promise<Requested>;
  status(id: unknown): Promise<Standing>;
  /** Ends at a decision, cancel or expiry, when the window closes (`pending`), or when `signal` aborts (as it then stands). */
  wait(
    id: unknown,
    options?: { readonly waitSeconds?: unknown; readonly signal?: AbortSignal | undefined },
  ): Promise<Waited>;
  result(id: unknown, options?: { readonly claimKey?: unknown }): Promise<Result>;
  cancel(id: unknown, options?: { readonly reason?: unknown }): Promise<Canceled>;
  list(query?: ListQuery): Promise<ListPage>;
}
