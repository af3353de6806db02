/** Statements on agents and their tokens. */
import type { Queryable } from "./database.ts";

export interface StoredAgent {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly owner: { readonly id: string; readonly name: string } | null;
}

export interface ListedAgent extends StoredAgent {
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface NewAgent {
  readonly workspace: string;
  readonly id: string;
  readonly name: string;
  readonly nameKey: string;
  /** A person's id. */
  readonly owner: string | null;
  readonly createdAt: number;
  readonly createdBy: string;
}

interface AgentRow {
  id: string;
  name: string;
  owner: string | null;
  owner_name: string | null;
}

function readAgent(workspace: string, row: AgentRow): StoredAgent {
  const owner = row.owner === null ? null : { id: row.owner, name: row.owner_name ?? "" };
  return { workspace, id: row.id, name: row.name, owner };
}

/** False: the name is taken, by a revoked agent perhaps. */
export async function insertAgent(tx: Queryable, agent: NewAgent): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO agents (workspace, id, name, name_key, owner, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (workspace, name_key) DO NOTHING RETURNING id`,
    [agent.workspace, agent.id, agent.name, agent.nameKey, agent.owner, agent.createdAt, agent.createdBy],
  );
  return rows.length === 1;
}

const LISTED = `a.id, a.name, a.owner, p.name AS owner_name, a.created_at, a.revoked_at,
  (SELECT MAX(t.used_at) FROM agent_tokens t WHERE t.workspace = a.workspace AND t.agent = a.id) AS last_used_at`;
const WITH_OWNER = `agents a LEFT JOIN people p ON p.workspace = a.workspace AND p.id = a.owner`;

type ListedRow = AgentRow & { created_at: number; revoked_at: number | null; last_used_at: number | null };

function readListed(workspace: string, row: ListedRow): ListedAgent {
  return {
    ...readAgent(workspace, row),
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

export async function loadAgentByName(
  q: Queryable,
  workspace: string,
  nameKey: string,
): Promise<ListedAgent | undefined> {
  const [row] = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM ${WITH_OWNER} WHERE a.workspace = $1 AND a.name_key = $2`,
    [workspace, nameKey],
  );
  return row && readListed(workspace, row);
}

/** All of them, revoked ones too, in the order in which they were added. */
export async function listAgents(q: Queryable, workspace: string): Promise<ListedAgent[]> {
  const rows = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM ${WITH_OWNER} WHERE a.workspace = $1 ORDER BY a.created_at, a.id`,
    [workspace],
  );
  return rows.map((row) => readListed(workspace, row));
}

/**
 * Makes the transactions that give an agent a token wait for one another: on PostgreSQL two rotations at once would
 * otherwise not see each other's token, and both would stay good. False: there is no such agent, or it is revoked.
 */
export async function lockAgent(tx: Queryable, workspace: string, agent: string): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE agents SET name = name WHERE workspace = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
    [workspace, agent],
  );
  return rows.length === 1;
}

/** False: there is no such agent, or it is revoked. */
export async function revokeAgent(tx: Queryable, workspace: string, agent: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE agents SET revoked_at = $3 WHERE workspace = $1 AND id = $2 AND revoked_at IS NULL RETURNING id`,
    [workspace, agent, now],
  );
  return rows.length === 1;
}

/** Only to an agent that is not revoked. False: it is. */
export async function insertToken(
  tx: Queryable,
  token: {
    readonly workspace: string;
    readonly hash: string;
    readonly agent: string;
    readonly createdAt: number;
    readonly expiresAt: number | null;
  },
): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO agent_tokens (workspace, hash, agent, created_at, expires_at)
     SELECT a.workspace, $2, a.id, $4, $5 FROM agents a WHERE a.workspace = $1 AND a.id = $3 AND a.revoked_at IS NULL
     RETURNING hash`,
    [token.workspace, token.hash, token.agent, token.createdAt, token.expiresAt],
  );
  return rows.length === 1;
}

/** How long the agent's last token was given to live, in milliseconds; null for ever. */
export async function loadTokenLifetime(q: Queryable, workspace: string, agent: string): Promise<number | null> {
  const [row] = await q.query<{ created_at: number; expires_at: number | null }>(
    `SELECT created_at, expires_at FROM agent_tokens WHERE workspace = $1 AND agent = $2 ORDER BY created_at DESC LIMIT 1`,
    [workspace, agent],
  );
  return row === undefined || row.expires_at === null ? null : row.expires_at - row.created_at;
}

export async function revokeTokens(tx: Queryable, workspace: string, agent: string, now: number): Promise<void> {
  await tx.query(`UPDATE agent_tokens SET revoked_at = $3 WHERE workspace = $1 AND agent = $2 AND revoked_at IS NULL`, [
    workspace,
    agent,
    now,
  ]);
}

/** The agent behind a live token, found by primary keys alone: this runs at every call an agent makes. */
export async function loadAgentByToken(
  q: Queryable,
  workspace: string,
  hash: string,
  now: number,
): Promise<{ agent: StoredAgent; usedAt: number | null } | undefined> {
  const [row] = await q.query<AgentRow & { used_at: number | null }>(
    `SELECT a.id, a.name, a.owner, p.name AS owner_name, t.used_at
     FROM agent_tokens t
     JOIN agents a ON a.workspace = t.workspace AND a.id = t.agent
     LEFT JOIN people p ON p.workspace = a.workspace AND p.id = a.owner
     WHERE t.hash = $1 AND t.workspace = $2 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $3) AND a.revoked_at IS NULL`,
    [hash, workspace, now],
  );
  return row && { agent: readAgent(workspace, row), usedAt: row.used_at };
}

/** Notes the token's use, unless that was noted after `notSince`. */
export async function touchToken(
  q: Queryable,
  workspace: string,
  hash: string,
  now: number,
  notSince: number,
): Promise<void> {
  await q.query(
    `UPDATE agent_tokens SET used_at = $3 WHERE hash = $1 AND workspace = $2 AND (used_at IS NULL OR used_at <= $4)`,
    [hash, workspace, now, notSince],
  );
}
