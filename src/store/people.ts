/** Statements on people and their memberships. A disabled person stays: decisions and enrolments point to them. */
import type { Queryable } from "./database.ts";

/** A person as reviewers and operators see them. Times are epoch milliseconds. */
export interface StoredReviewer {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly enrolledAt: number;
  readonly enrolledWay: "web" | "cli";
  readonly enrolledBy: string | null;
  readonly disabledAt: number | null;
  readonly hasPassword: boolean;
  readonly passkeys: number;
}

export interface NewPerson {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  /** What two equal names share; see `identity/name.ts`. */
  readonly nameKey: string;
  readonly enrolledAt: number;
  readonly enrolledWay: "web" | "cli";
  readonly enrolledBy: string | null;
}

export interface ReviewerRow {
  id: string;
  name: string;
  enrolled_at: number;
  enrolled_way: "web" | "cli";
  enrolled_by: string | null;
  disabled_at: number | null;
  passwords: number;
  passkeys: number;
}

/** Of `people p`. `passkeys` counts all of them, whatever site they belong to. */
const REVIEWER = `p.id, p.name, p.enrolled_at, p.enrolled_way, p.enrolled_by, p.disabled_at,
  (SELECT COUNT(*) FROM credentials c WHERE c.workspace = p.workspace AND c.person = p.id AND c.kind = 'password') AS passwords,
  (SELECT COUNT(*) FROM credentials c WHERE c.workspace = p.workspace AND c.person = p.id AND c.kind = 'passkey') AS passkeys`;

export function readReviewer(workspace: string, row: ReviewerRow): StoredReviewer {
  return {
    workspace,
    id: row.id,
    name: row.name,
    enrolledAt: row.enrolled_at,
    enrolledWay: row.enrolled_way,
    enrolledBy: row.enrolled_by,
    disabledAt: row.disabled_at,
    hasPassword: row.passwords > 0,
    passkeys: row.passkeys,
  };
}

/**
 * Makes the transactions that enrol wait for one another. Without it two first reviewers could both be first on
 * PostgreSQL, where neither statement sees what the other has not committed yet.
 */
export async function lockEnrolment(tx: Queryable, workspace: string): Promise<void> {
  await tx.query(`UPDATE workspaces SET name = name WHERE id = $1 RETURNING id`, [workspace]);
}

/** Enrols only if nobody ever was. False: somebody is there. Call {@link lockEnrolment} first. */
export async function insertFirstPerson(tx: Queryable, person: NewPerson): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO people (workspace, id, name, name_key, enrolled_at, enrolled_way, enrolled_by)
     SELECT w.id, $2, $3, $4, $5, $6, $7 FROM workspaces w
     WHERE w.id = $1 AND NOT EXISTS (SELECT 1 FROM people WHERE workspace = $1)
     RETURNING id`,
    values(person),
  );
  return rows.length === 1;
}

/** False: the name is taken, by somebody disabled perhaps. */
export async function insertPerson(tx: Queryable, person: NewPerson): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO people (workspace, id, name, name_key, enrolled_at, enrolled_way, enrolled_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (workspace, name_key) DO NOTHING RETURNING id`,
    values(person),
  );
  return rows.length === 1;
}

function values(person: NewPerson): (string | number | null)[] {
  return [
    person.workspace,
    person.id,
    person.name,
    person.nameKey,
    person.enrolledAt,
    person.enrolledWay,
    person.enrolledBy,
  ];
}

export async function insertMembership(
  tx: Queryable,
  workspace: string,
  person: string,
  role: "reviewer" | "admin" | "auditor",
  since: number,
): Promise<void> {
  await tx.query(`INSERT INTO memberships (workspace, person, role, since) VALUES ($1, $2, $3, $4)`, [
    workspace,
    person,
    role,
    since,
  ]);
}

/** True once anybody was enrolled, for ever: a disabled person does not open the setup again. */
export async function anyoneEnrolled(q: Queryable, workspace: string): Promise<boolean> {
  const rows = await q.query(`SELECT id FROM people WHERE workspace = $1 LIMIT 1`, [workspace]);
  return rows.length > 0;
}

/** True while at least one person can decide. */
export async function anyReviewer(q: Queryable, workspace: string): Promise<boolean> {
  const rows = await q.query(
    `SELECT p.id FROM people p JOIN memberships m ON m.workspace = p.workspace AND m.person = p.id
     WHERE p.workspace = $1 AND p.disabled_at IS NULL AND m.role IN ('reviewer', 'admin') LIMIT 1`,
    [workspace],
  );
  return rows.length > 0;
}

export async function loadReviewerByName(
  q: Queryable,
  workspace: string,
  nameKey: string,
): Promise<StoredReviewer | undefined> {
  const [row] = await q.query<ReviewerRow>(
    `SELECT ${REVIEWER} FROM people p WHERE p.workspace = $1 AND p.name_key = $2`,
    [workspace, nameKey],
  );
  return row && readReviewer(workspace, row);
}

export async function loadReviewer(q: Queryable, workspace: string, id: string): Promise<StoredReviewer | undefined> {
  const [row] = await q.query<ReviewerRow>(`SELECT ${REVIEWER} FROM people p WHERE p.workspace = $1 AND p.id = $2`, [
    workspace,
    id,
  ]);
  return row && readReviewer(workspace, row);
}

/** Everybody, disabled ones too, in the order in which they came. */
export async function listReviewers(q: Queryable, workspace: string): Promise<StoredReviewer[]> {
  const rows = await q.query<ReviewerRow>(
    `SELECT ${REVIEWER} FROM people p WHERE p.workspace = $1 ORDER BY p.enrolled_at, p.id`,
    [workspace],
  );
  return rows.map((row) => readReviewer(workspace, row));
}

/** Those who were enrolled at `since` or later, the newest first. */
export async function listEnrolledSince(q: Queryable, workspace: string, since: number): Promise<StoredReviewer[]> {
  const rows = await q.query<ReviewerRow>(
    `SELECT ${REVIEWER} FROM people p WHERE p.workspace = $1 AND p.enrolled_at >= $2 ORDER BY p.enrolled_at DESC, p.id DESC`,
    [workspace, since],
  );
  return rows.map((row) => readReviewer(workspace, row));
}

/** The id of whom it disabled; undefined when there is no such person, or not an enabled one. */
export async function disablePerson(
  tx: Queryable,
  workspace: string,
  nameKey: string,
  now: number,
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `UPDATE people SET disabled_at = $3 WHERE workspace = $1 AND name_key = $2 AND disabled_at IS NULL RETURNING id`,
    [workspace, nameKey, now],
  );
  return row?.id;
}
