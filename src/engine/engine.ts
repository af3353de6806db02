/**
 * What the engine offers to the transports: one verb, one file in this folder, one transaction.
 *
 * Types only. `open_engine.ts` puts the verbs together; `http/` and `cli/` see nothing but this interface, and
 * `mcp/` sees only the port `Approvals` that `approvalsOf` hands out.
 */
import type { Approval, ApprovalHead, Decision, Identified } from "../approval/approval.ts";
import type { Approvals, CountedDecision } from "../approval/approvals.ts";
import type { FieldProblem, FormSchema, PostedAnswers } from "../approval/form.ts";
import type { Intent } from "../approval/intent.ts";
import type { JsonValue } from "../approval/json_text.ts";

export interface Agent {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly owner: Identified | null;
}

/** A person who may decide. */
export interface Reviewer {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly enrolledAt: number;
  /** `web`: with the one-time setup code. `cli`: by somebody with write access to the data. */
  readonly enrolledWay: "web" | "cli";
  /** The operating-system user for `cli`; null for `web`. */
  readonly enrolledBy: string | null;
  readonly disabledAt: number | null;
  readonly hasPassword: boolean;
  readonly passkeys: number;
}

/** A reviewer's live browser session. Idle 30 minutes, absolute 12 hours. */
export interface Session {
  /** SHA-256 of the cookie's value: the name under which it is stored. */
  readonly hash: string;
  readonly reviewer: Reviewer;
  /** Must come back in every form of this session. */
  readonly csrf: string;
  readonly expiresAt: number;
  /** When this session last proved who is there, and how; null when it has not. */
  readonly provedAt: number | null;
  readonly proof: "password" | "passkey" | null;
}

export interface OpenedSession {
  /** The cookie's value; shown once, stored only as its hash. */
  readonly token: string;
  readonly session: Session;
}

/** What `@simplewebauthn` exchanges with the browser; opaque to the engine's callers. */
export type PasskeyOptions = { readonly [key: string]: unknown };

export interface PasskeyCeremony {
  readonly challengeId: string;
  readonly options: PasskeyOptions;
}

export type Proof =
  /** No more than the session's own fresh proof; enough only where the proof window applies (https). */
  | { readonly kind: "session" }
  | { readonly kind: "password"; readonly password: string }
  /** The browser's AuthenticationResponseJSON, not yet validated. */
  | { readonly kind: "passkey"; readonly response: unknown };

export interface InboxItem {
  readonly id: string;
  readonly message: string;
  readonly requester: Approval["requester"];
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface Inbox {
  readonly items: readonly InboxItem[];
  readonly nextCursor: string | undefined;
}

export interface Viewed {
  /** As it stands now. */
  readonly approval: Approval;
  readonly form: FormSchema | null;
  readonly decisions: readonly CountedDecision[];
  /** When it is closed: who closed it (a reviewer, the requester or `cli` user); null for an expiry. */
  readonly closedBy: Identified | null;
  /** True when the reviewer who looks is the owner of the agent that asks. */
  readonly viewerOwnsRequester: boolean;
  /** Enrolments of reviewers within the last 7 days. */
  readonly recentEnrolments: readonly Pick<Reviewer, "id" | "name" | "enrolledAt" | "enrolledWay" | "enrolledBy">[];
}

export interface PrepareInput {
  readonly approvalId: string;
  readonly decision: Decision;
  /** The request digest that the page showed. */
  readonly requestDigest: string;
  /** The form's values; absent in JSON mode and ignored on a decline. */
  readonly answers?: PostedAnswers;
  readonly comment?: string;
}

export interface PreparedIntent {
  readonly intentId: string;
  readonly intent: Intent;
  readonly approval: Approval;
  readonly form: FormSchema | null;
  /** Exactly what the agent will receive as `formSubmission`; null in JSON mode and on a decline. */
  readonly answer: { readonly [name: string]: JsonValue } | null;
  readonly comment: string | null;
  /** True when deciding takes a password or a passkey now; false when the session's proof is fresh enough. */
  readonly proofNeeded: boolean;
}

export type Prepared =
  | ({ readonly kind: "prepared" } & PreparedIntent)
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] }
  | { readonly kind: "closed"; readonly viewed: Viewed }
  /** The page showed another request than the stored one: read it again. */
  | { readonly kind: "changed" }
  | { readonly kind: "not_found" };

export type Decided =
  | { readonly kind: "decided"; readonly approval: Approval }
  /** Somebody or something else closed it first; nothing changed. */
  | { readonly kind: "closed"; readonly viewed: Viewed }
  /** The intent is unknown, used, lapsed, or another session's; prepare again. */
  | { readonly kind: "lapsed" }
  /** No proof, or a wrong one. The intent is still good. */
  | { readonly kind: "proof_required"; readonly reason: "missing" | "wrong" | "rate_limited" }
  | { readonly kind: "forbidden"; readonly reason: string };

export type SignIn =
  | ({ readonly kind: "signed_in" } & OpenedSession)
  /** Unknown name and wrong password are the same answer. */
  | { readonly kind: "refused" }
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds: number };

export type SetupOutcome =
  | ({ readonly kind: "enrolled" } & OpenedSession)
  /** Wrong, used, lapsed or too often tried. */
  | { readonly kind: "wrong_code" }
  | { readonly kind: "invalid"; readonly problems: readonly FieldProblem[] }
  /** Somebody is enrolled already: setup is over for good. */
  | { readonly kind: "closed" }
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds: number };

export interface SetupInput {
  readonly code: string;
  readonly name: string;
}

/** What reviewers can do, for `http/`. */
export interface Reviewing {
  /** The live session behind a cookie's value, or undefined. Notes its use at most once a minute. */
  session(token: string): Promise<Session | undefined>;
  /** @param from The peer's address, for rate limits. */
  signInWithPassword(input: {
    name: string;
    password: string;
    from: string;
    userAgent?: string | undefined;
  }): Promise<SignIn>;
  /** @param from The peer's address, for rate limits. */
  beginPasskeySignIn(from: string): Promise<PasskeyCeremony>;
  signInWithPasskey(input: {
    challengeId: string;
    response: unknown;
    from: string;
    userAgent?: string | undefined;
  }): Promise<SignIn>;
  signOut(session: Session): Promise<void>;

  /** True while nobody is enrolled. */
  setupOpen(): Promise<boolean>;
  setUpWithPassword(
    input: SetupInput & { password: string; from: string; userAgent?: string | undefined },
  ): Promise<SetupOutcome>;
  beginPasskeySetup(
    input: SetupInput & { from: string },
  ): Promise<({ kind: "begun" } & PasskeyCeremony) | Exclude<SetupOutcome, { kind: "enrolled" }>>;
  /** Burns the code and enrols in one transaction. */
  setUpWithPasskey(
    input: SetupInput & { challengeId: string; response: unknown; from: string; userAgent?: string | undefined },
  ): Promise<SetupOutcome>;

  inbox(session: Session, query?: { cursor?: string | undefined }): Promise<Inbox>;
  /** Undefined for unknown, foreign and malformed ids alike. Adds one `viewed` event per approval and reviewer. */
  view(session: Session, approvalId: string): Promise<Viewed | undefined>;
  prepare(session: Session, input: PrepareInput): Promise<Prepared>;
  /** A live intent of this session, for the confirm page. */
  intent(session: Session, intentId: string): Promise<PreparedIntent | undefined>;
  /** Options for a passkey assertion whose challenge is this intent; undefined when the intent lapsed or the reviewer has no passkey. */
  passkeyOptions(session: Session, intentId: string): Promise<PasskeyOptions | undefined>;
  decide(session: Session, intentId: string, proof: Proof, from: string): Promise<Decided>;
}

/** What the operator can do, for `cli/`: whoever can write the data. Recorded as `cli` and the OS user. */
export interface Operating {
  addReviewer(input: { name: string; password: string }): Promise<Reviewer>;
  listReviewers(): Promise<readonly Reviewer[]>;
  /** Ends the person's sessions and drops their intents. */
  disableReviewer(name: string): Promise<Reviewer>;
  /** @returns the code, shown once; throws `forbidden` when a reviewer is enrolled. 10 minutes, 5 tries. */
  newSetupCode(): Promise<{ code: string; expiresAt: number }>;
  /** @param owner A reviewer's name. @returns the token, shown once. */
  addAgent(input: {
    name: string;
    owner?: string | undefined;
    expiresInDays?: number | undefined;
  }): Promise<{ agent: Agent; token: string }>;
  listAgents(): Promise<
    readonly (Agent & { createdAt: number; revokedAt: number | null; lastUsedAt: number | null })[]
  >;
  /** A new token; the old ones end at once. */
  rotateAgent(name: string): Promise<{ agent: Agent; token: string }>;
  revokeAgent(name: string): Promise<Agent>;
  list(query: {
    status?: string | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  }): Promise<{ items: readonly ApprovalHead[]; nextCursor: string | undefined }>;
  show(id: string): Promise<{
    approval: Approval;
    decisions: readonly CountedDecision[];
    closedBy: Identified | null;
    events: readonly ShownEvent[];
  }>;
  cancel(
    id: string,
    reason?: string,
  ): Promise<{ kind: "canceled" | "already_decided" | "expired"; approval: Approval }>;
}

export interface ShownEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly actor: string;
  readonly body: JsonValue;
}

export interface Engine extends AsyncDisposable {
  /** The agent behind a bearer token, or undefined. */
  authenticate(token: string): Promise<Agent | undefined>;
  /** The port for one requester. */
  approvalsOf(agent: Agent): Approvals;
  /** Called with the id of each approval that this process sees closed. @returns a function that stops it. */
  onClosed(listener: (approvalId: string) => void): () => void;
  readonly reviewing: Reviewing;
  /** @param osUser The operating-system user who runs the command. */
  operating(osUser: string): Operating;
  /** Proves that the store can be written. Throws `unavailable` otherwise. */
  checkWritable(): Promise<void>;
  /** Writes due `expired` events and drops lapsed sessions, intents and challenges; run at start and by the tick. */
  tick(): Promise<void>;
}
