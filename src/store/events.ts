/** The trail in its rows. The head of each stream stands in a row of its own, whose lock puts appends in order. */
import { type Actor, type Event, type EventDraft, type EventType, GENESIS, linkEvent } from "../approval/event.ts";
import type { JsonValue } from "../approval/json_text.ts";
import type { Queryable } from "./database.ts";

/**
 * Adds one event to its stream, in the transaction of the fact it tells. Taking the next number locks the head row
 * until the commit, so that two writers cannot fork the chain, on any node.
 */
export async function appendEvent(tx: Queryable, draft: EventDraft): Promise<void> {
  const [head] = await tx.query<{ seq: number; head: string }>(
    `INSERT INTO streams (workspace, stream, seq, head) VALUES ($1, $2, 1, $3)
     ON CONFLICT (workspace, stream) DO UPDATE SET seq = streams.seq + 1 RETURNING seq, head`,
    [draft.workspace, draft.stream, GENESIS],
  );
  if (head === undefined) throw new Error("a stream gave no place for its next event");
  const event = linkEvent(draft, { seq: head.seq, prev: head.head });
  await tx.query(
    `INSERT INTO events (workspace, stream, seq, type, at, actor, commitment, salt, body, prev, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      event.workspace,
      event.stream,
      event.seq,
      event.type,
      event.at,
      JSON.stringify(event.actor),
      event.commitment,
      event.salt,
      JSON.stringify(event.body),
      event.prev,
      event.hash,
    ],
  );
  await tx.query(`UPDATE streams SET head = $3 WHERE workspace = $1 AND stream = $2`, [
    event.workspace,
    event.stream,
    event.hash,
  ]);
}

/** A whole stream, first event first. */
export async function loadEvents(q: Queryable, workspace: string, stream: string): Promise<Event[]> {
  const rows = await q.query<EventRow>(
    `SELECT workspace, stream, seq, type, at, actor, commitment, salt, body, prev, hash FROM events
     WHERE workspace = $1 AND stream = $2 ORDER BY seq`,
    [workspace, stream],
  );
  return rows.map(readEvent);
}

/** Who canceled it, from the trail. */
export async function loadCancelActor(q: Queryable, workspace: string, stream: string): Promise<Actor | undefined> {
  const [row] = await q.query<{ actor: string }>(
    `SELECT actor FROM events WHERE workspace = $1 AND stream = $2 AND type = 'canceled'`,
    [workspace, stream],
  );
  return row && (JSON.parse(row.actor) as Actor);
}

/** Notes that a person has looked. False when they had looked before. */
export async function insertView(
  tx: Queryable,
  workspace: string,
  approvalId: string,
  person: string,
  at: number,
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO views (workspace, approval, person, at) VALUES ($1, $2, $3, $4) ON CONFLICT (workspace, approval, person) DO NOTHING RETURNING at`,
    [workspace, approvalId, person, at],
  );
  return rows.length === 1;
}

export async function hasViewed(q: Queryable, workspace: string, approvalId: string, person: string): Promise<boolean> {
  const rows = await q.query(`SELECT at FROM views WHERE workspace = $1 AND approval = $2 AND person = $3`, [
    workspace,
    approvalId,
    person,
  ]);
  return rows.length === 1;
}

interface EventRow {
  workspace: string;
  stream: string;
  seq: number;
  type: EventType;
  at: number;
  actor: string;
  commitment: string;
  salt: string | null;
  body: string | null;
  prev: string;
  hash: string;
}

function readEvent(row: EventRow): Event {
  return {
    ...row,
    actor: JSON.parse(row.actor) as Actor,
    body: row.body === null ? null : (JSON.parse(row.body) as JsonValue),
  };
}
