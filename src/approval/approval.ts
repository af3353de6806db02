/**
 * The approval: the durable record of one question to a person, and the only states it can be in.
 *
 * The union on `status` makes a record that lies impossible to build: an open approval has no outcome,
 * an expired one has no decision.
 */

export type Decision = "submitted" | "declined";

export const STATUSES = ["pending", "submitted", "declined", "canceled", "expired", "consumed"] as const;
export type Status = (typeof STATUSES)[number];

const WEAKEST_FIRST = ["session", "reauthenticated", "user-verified"] as const;
/** How strongly a decision was proved; the order is from weaker to stronger. */
export type Assurance = (typeof WEAKEST_FIRST)[number];

export interface Identified {
  readonly id: string;
  readonly name: string;
}

/** Who asked, as known when the approval was created; shown to the reviewer and never updated. */
export interface Requester {
  readonly agent: Identified;
  /** The person the agent works for, if the operator named one. */
  readonly owner: Identified | null;
  /** What the agent's host program says it is. Not proved. */
  readonly client: { readonly name: string; readonly version: string } | null;
}

export interface Labels {
  readonly submit: string;
  readonly decline: string;
}

/** What a decision must satisfy, frozen into the approval when it is created. */
export interface Policy {
  readonly v: 1;
  /** How many people must submit. */
  readonly needed: 1;
  readonly minAssurance: Assurance;
  /** When true, the owner of the requesting agent may not decide. */
  readonly fourEyes: boolean;
}

export const DEFAULT_POLICY: Policy = { v: 1, needed: 1, minAssurance: "reauthenticated", fourEyes: false };

/** What is fixed when an approval is created, without the bodies. Times are epoch milliseconds. */
export interface ApprovalFacts {
  readonly workspace: string;
  /** See `id.ts`: 36 characters, Crockford base32, lower case. */
  readonly id: string;
  readonly kind: "approval";
  readonly requester: Requester;
  readonly message: string;
  /** Null when there is no payload. */
  readonly contextDigest: string | null;
  readonly labels: Labels;
  readonly requestDigest: string;
  readonly policy: Policy;
  readonly policyDigest: string;
  readonly idempotencyKey: string | null;
  readonly createdAt: number;
  /** The first millisecond at which it can no longer be decided. */
  readonly expiresAt: number;
}

/** The parts that can be large; lists and status go without them. */
export interface ApprovalBodies {
  /** The payload's own JSON text, as received; null when there is no payload. */
  readonly contextText: string | null;
  /** The requestedSchema as JSON text; null in JSON mode. */
  readonly schemaText: string | null;
  readonly displayTemplate: string | null;
}

export type ApprovalState =
  | { readonly status: "pending" }
  | { readonly status: "submitted" | "declined"; readonly decision: Decision; readonly closedAt: number }
  | { readonly status: "consumed"; readonly decision: Decision; readonly closedAt: number; readonly consumedAt: number }
  | { readonly status: "canceled"; readonly closedAt: number; readonly reason: string | null }
  | { readonly status: "expired"; readonly closedAt: number };

/** An approval without its bodies. */
export type ApprovalHead = ApprovalFacts & ApprovalState;
export type Approval = ApprovalHead & ApprovalBodies;
export type PendingApproval = ApprovalFacts & ApprovalBodies & { readonly status: "pending" };

/**
 * The approval as it stands at `now`: a pending one whose time is up is expired, whether or not a row says so yet.
 *
 * @param now Epoch milliseconds.
 */
export function standingAt<T extends ApprovalHead>(approval: T, now: number): T {
  if (approval.status !== "pending" || now < approval.expiresAt) return approval;
  return { ...approval, status: "expired", closedAt: approval.expiresAt };
}

/** Narrows to one that can still be decided; judge it by {@link standingAt} first. */
export function isPending<T extends ApprovalHead>(approval: T): approval is T & { readonly status: "pending" } {
  return approval.status === "pending";
}

/** The decision, once there is one: `consumed` never hides yes from no. */
export function decisionOf(approval: ApprovalHead): Decision | undefined {
  return "decision" in approval ? approval.decision : undefined;
}

/** Whether a proof is worth at least what is demanded. */
export function reaches(assurance: Assurance, demanded: Assurance): boolean {
  return WEAKEST_FIRST.indexOf(assurance) >= WEAKEST_FIRST.indexOf(demanded);
}

/** The weakest of some proofs; undefined of none. */
export function weakest(assurances: readonly Assurance[]): Assurance | undefined {
  return WEAKEST_FIRST.find((assurance) => assurances.includes(assurance));
}
