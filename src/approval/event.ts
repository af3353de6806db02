/**
 * The trail: an append-only chain of events per stream, where each hash covers the one before.
 *
 * The body is not hashed itself but a salted commitment to it, so that erasing body and salt leaves the chain
 * whole and nothing guessable behind. A stream is an approval's id, or `workspace`.
 */
import { digestOf } from "./canonical.ts";
import type { JsonValue } from "./json_text.ts";

export type EventType =
  | "created"
  | "viewed"
  | "decision_refused"
  | "decided"
  | "canceled"
  | "expired"
  | "result_read"
  | "claimed"
  | "reviewer_enrolled"
  | "reviewer_disabled"
  | "agent_added"
  | "agent_rotated"
  | "agent_revoked"
  | "setup_code_made";

/** Who did it. For `cli` the id is the operating-system user, for `system` it is what acted, such as `tick`. */
export interface Actor {
  readonly kind: "agent" | "reviewer" | "cli" | "system";
  readonly id: string;
  readonly name: string;
}

/** What an event's body and salt are committed to. */
export interface Committed {
  /** Random text of at least 128 bits, new for each event. */
  readonly salt: string;
  readonly body: JsonValue;
}

export interface EventInput extends Committed {
  readonly workspace: string;
  readonly stream: string;
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: Actor;
}

/** An event before it has its place in the chain; made outside a transaction. */
export interface EventDraft extends EventInput {
  readonly commitment: string;
}

export interface Event extends Omit<EventDraft, "salt" | "body"> {
  /** 1, 2, 3 … in its stream. */
  readonly seq: number;
  /** The hash of the event before; {@link GENESIS} for the first. */
  readonly prev: string;
  readonly hash: string;
  /** Both null once the body has been erased. */
  readonly salt: string | null;
  readonly body: JsonValue;
}

/** What the first event of a stream points back to. */
export const GENESIS = `sha256:${"0".repeat(64)}`;

/** The digest that stands for a body in the chain. */
export function commitBody({ salt, body }: Committed): string {
  return digestOf("commitment", { salt, body });
}

export function draftEvent(input: EventInput): EventDraft {
  return { ...input, commitment: commitBody(input) };
}

/** Gives a draft its place: `seq` is its own number, `prev` the hash of the event before. One hash, no more. */
export function linkEvent(draft: EventDraft, place: { readonly seq: number; readonly prev: string }): Event {
  const event = { ...draft, ...place };
  return { ...event, hash: hashEvent(event) };
}

export type Verified =
  | { readonly ok: true; readonly head: string }
  /** The first event that does not fit, by its place: 1 for the first. */
  | { readonly ok: false; readonly seq: number; readonly why: string };

/**
 * Checks one stream from its first event on. Erased bodies are accepted.
 *
 * Events cut off at the end cannot be seen from the rest: compare `head` with the one stored or signed elsewhere.
 */
export function verifyChain(events: readonly Event[]): Verified {
  let prev = GENESIS;
  for (const [index, event] of events.entries()) {
    const seq = index + 1;
    const why = faultOf(event, seq, prev, events[0] as Event);
    if (why !== undefined) return { ok: false, seq, why };
    prev = event.hash;
  }
  return { ok: true, head: prev };
}

function faultOf(event: Event, seq: number, prev: string, first: Event): string | undefined {
  if (event.workspace !== first.workspace || event.stream !== first.stream) return "it belongs to another stream";
  if (event.seq !== seq) return `its number is ${event.seq}: an event is missing, doubled or moved`;
  if (event.prev !== prev) return "it does not follow the event before it";
  if (event.hash !== computed(() => hashEvent(event))) return "its hash does not match what it says";
  const { salt, body } = event;
  if (salt === null) return body === null ? undefined : "it has a body without the salt that proves it";
  return event.commitment === computed(() => commitBody({ salt, body }))
    ? undefined
    : "its body is not the one that was committed";
}

/** A damaged event may hold what has no canonical form; it then matches nothing. */
function computed(digest: () => string): string | undefined {
  try {
    return digest();
  } catch {
    return undefined;
  }
}

function hashEvent(event: Omit<Event, "hash" | "salt" | "body">): string {
  const { workspace, stream, seq, type, at, commitment, prev } = event;
  const actor = { kind: event.actor.kind, id: event.actor.id, name: event.actor.name };
  return digestOf("event", { workspace, stream, seq, type, at, actor, commitment, prev });
}
