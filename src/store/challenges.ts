/** Statements on the challenges of passkey ceremonies. Taking one is the only way to read it, so each serves once. */
import type { Queryable } from "./database.ts";

export type ChallengePurpose = "sign_in" | "enrol";

export interface Challenge {
  readonly id: string;
  readonly purpose: ChallengePurpose;
  /** Whom it is for; null when that is what the ceremony finds out. */
  readonly person: string | null;
  /** The challenge's bytes, base64url. */
  readonly challenge: string;
  /** What the caller wants back, as JSON text. */
  readonly body: string | null;
  readonly expiresAt: number;
}

export async function insertChallenge(
  q: Queryable,
  workspace: string,
  challenge: Challenge,
  now: number,
): Promise<void> {
  await q.query(
    `INSERT INTO challenges (workspace, id, purpose, person, challenge, body, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      workspace,
      challenge.id,
      challenge.purpose,
      challenge.person,
      challenge.challenge,
      challenge.body,
      now,
      challenge.expiresAt,
    ],
  );
}

/** Takes the challenge out. Undefined: unknown, taken before, lapsed, or made for another purpose. */
export async function takeChallenge(
  q: Queryable,
  workspace: string,
  id: string,
  purpose: ChallengePurpose,
  now: number,
): Promise<Challenge | undefined> {
  const [row] = await q.query<{ person: string | null; challenge: string; body: string | null; expires_at: number }>(
    `DELETE FROM challenges WHERE workspace = $1 AND id = $2 AND purpose = $3 AND expires_at > $4 RETURNING person, challenge, body, expires_at`,
    [workspace, id, purpose, now],
  );
  return (
    row && { id, purpose, person: row.person, challenge: row.challenge, body: row.body, expiresAt: row.expires_at }
  );
}

export async function dropLapsedChallenges(tx: Queryable, workspace: string, now: number): Promise<void> {
  await tx.query(`DELETE FROM challenges WHERE workspace = $1 AND expires_at <= $2`, [workspace, now]);
}
