/** Statements on credentials. A password's `secret` is its hash; a passkey's is JSON: its public key and what it is. */
import type { Queryable } from "./database.ts";

export interface StoredPassword {
  readonly credential: string;
  readonly person: string;
  readonly hash: string;
}

export interface StoredPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly synced: boolean;
  readonly aaguid: string;
}

interface PasskeyRow {
  id: string;
  person: string;
  secret: string;
  sign_count: number;
}

function readPasskey(row: PasskeyRow): StoredPasskey {
  return {
    ...(JSON.parse(row.secret) as Omit<StoredPasskey, "id" | "signCount">),
    id: row.id,
    signCount: row.sign_count,
  };
}

export async function insertPassword(
  tx: Queryable,
  workspace: string,
  password: StoredPassword,
  now: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO credentials (workspace, id, person, kind, secret, created_at) VALUES ($1, $2, $3, 'password', $4, $5)`,
    [workspace, password.credential, password.person, password.hash, now],
  );
}

/** @param site The relying-party id and the origin it was made at. @returns false when this passkey is stored already. */
export async function insertPasskey(
  tx: Queryable,
  workspace: string,
  person: string,
  passkey: StoredPasskey,
  site: { readonly rpId: string; readonly origin: string },
  now: number,
): Promise<boolean> {
  const { id, signCount, ...secret } = passkey;
  const rows = await tx.query(
    `INSERT INTO credentials (workspace, id, person, kind, rp_id, origin, secret, sign_count, created_at)
     VALUES ($1, $2, $3, 'passkey', $4, $5, $6, $7, $8)
     ON CONFLICT (workspace, id) DO NOTHING RETURNING id`,
    [workspace, id, person, site.rpId, site.origin, JSON.stringify(secret), signCount, now],
  );
  return rows.length === 1;
}

/** The password of an enabled person. */
export async function loadPasswordByName(
  q: Queryable,
  workspace: string,
  nameKey: string,
): Promise<StoredPassword | undefined> {
  const [row] = await q.query<{ id: string; person: string; secret: string }>(
    `SELECT c.id, c.person, c.secret FROM people p JOIN credentials c ON c.workspace = p.workspace AND c.person = p.id AND c.kind = 'password'
     WHERE p.workspace = $1 AND p.name_key = $2 AND p.disabled_at IS NULL`,
    [workspace, nameKey],
  );
  return row && { credential: row.id, person: row.person, hash: row.secret };
}

export async function loadPassword(
  q: Queryable,
  workspace: string,
  person: string,
): Promise<StoredPassword | undefined> {
  const [row] = await q.query<{ id: string; secret: string }>(
    `SELECT id, secret FROM credentials WHERE workspace = $1 AND person = $2 AND kind = 'password'`,
    [workspace, person],
  );
  return row && { credential: row.id, person, hash: row.secret };
}

/** A passkey of this site and whose it is; undefined when that person is disabled. */
export async function loadPasskey(
  q: Queryable,
  workspace: string,
  id: string,
  rpId: string,
): Promise<{ person: string; passkey: StoredPasskey } | undefined> {
  const [row] = await q.query<PasskeyRow>(
    `SELECT c.id, c.person, c.secret, c.sign_count FROM credentials c JOIN people p ON p.workspace = c.workspace AND p.id = c.person
     WHERE c.workspace = $1 AND c.id = $2 AND c.kind = 'passkey' AND c.rp_id = $3 AND p.disabled_at IS NULL`,
    [workspace, id, rpId],
  );
  return row && { person: row.person, passkey: readPasskey(row) };
}

export async function listPasskeys(
  q: Queryable,
  workspace: string,
  person: string,
  rpId: string,
): Promise<StoredPasskey[]> {
  const rows = await q.query<PasskeyRow>(
    `SELECT id, person, secret, sign_count FROM credentials
     WHERE workspace = $1 AND person = $2 AND kind = 'passkey' AND rp_id = $3 ORDER BY created_at, id`,
    [workspace, person, rpId],
  );
  return rows.map(readPasskey);
}

/** Whether the credential is still there and its person enabled: read inside the transaction that relies on a proof. */
export async function isCredentialGood(tx: Queryable, workspace: string, id: string, person: string): Promise<boolean> {
  const rows = await tx.query(
    `SELECT c.id FROM credentials c JOIN people p ON p.workspace = c.workspace AND p.id = c.person
     WHERE c.workspace = $1 AND c.id = $2 AND c.person = $3 AND p.disabled_at IS NULL`,
    [workspace, id, person],
  );
  return rows.length === 1;
}

/**
 * Notes a credential's use. False, and nothing noted, when the person or the credential is no longer good: inside the
 * transaction that relies on the proof this is the last word.
 *
 * @param signCount What the authenticator reported; null leaves it.
 */
export async function touchCredential(
  tx: Queryable,
  workspace: string,
  used: { readonly credential: string; readonly person: string; readonly signCount: number | null },
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE credentials SET last_used_at = $4, sign_count = COALESCE($5, sign_count)
     WHERE workspace = $1 AND id = $2 AND person = $3
       AND EXISTS (SELECT 1 FROM people p WHERE p.workspace = $1 AND p.id = $3 AND p.disabled_at IS NULL)
     RETURNING id`,
    [workspace, used.credential, used.person, now, used.signCount],
  );
  return rows.length === 1;
}
