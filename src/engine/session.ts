/** Reviewers' sessions: opened at each sign-in with a new cookie, ended by sign-out, disuse, age or disabling. */
import { encodeBytes, hashSecret } from "../identity/secret.ts";
import { DatabaseUnavailable, type Queryable } from "../store/database.ts";
import {
  deleteSession,
  insertSession,
  loadSession,
  type NewSession,
  type StoredSession,
  touchSession,
} from "../store/sessions.ts";
import type { EngineDeps } from "./deps.ts";
import type { OpenedSession, Session } from "./engine.ts";

/** How often a use of a session or a token is written down, in milliseconds: reading must not cost a write each. */
export const NOTE_USE_MS = 60_000;
/** 32 bytes, base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const USER_AGENT_MAX = 300;

export interface SessionDraft {
  readonly token: string;
  readonly row: NewSession;
}

/** A session that is not stored yet; made outside the transaction that opens it. */
export function newSession(
  deps: EngineDeps,
  person: string,
  proof: "password" | "passkey",
  userAgent: string | undefined,
): SessionDraft {
  const token = encodeBytes(deps.randomBytes(32));
  const csrf = encodeBytes(deps.randomBytes(32));
  return {
    token,
    row: { hash: hashSecret("session", token), person, csrf, proof, userAgent: tidyUserAgent(userAgent) },
  };
}

/** Undefined when the person may not sign in (any more). */
export async function openSession(
  deps: EngineDeps,
  tx: Queryable,
  draft: SessionDraft,
  now: number,
): Promise<OpenedSession | undefined> {
  if (!(await insertSession(tx, deps.workspace, draft.row, now))) return undefined;
  const stored = await loadSession(tx, deps.workspace, draft.row.hash, deps.rpId, now);
  return stored && { token: draft.token, session: readSession(stored) };
}

/** The live session behind a cookie's value. */
export async function session(deps: EngineDeps, token: string): Promise<Session | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const now = deps.now();
  const stored = await loadSession(deps.db, deps.workspace, hashSecret("session", token), deps.rpId, now);
  if (stored === undefined) return undefined;
  if (now - stored.usedAt >= NOTE_USE_MS) {
    await noteUse(() => touchSession(deps.db, deps.workspace, stored.hash, now, now - NOTE_USE_MS));
  }
  return readSession(stored);
}

export async function signOut(deps: EngineDeps, ended: Session): Promise<void> {
  await deleteSession(deps.db, deps.workspace, ended.hash);
}

/** A store that cannot be written must not keep anybody from reading: the note of a use is dropped then. */
export async function noteUse(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}

function readSession({ hash, reviewer, csrf, expiresAt, provedAt, proof }: StoredSession): Session {
  return { hash, reviewer, csrf, expiresAt, provedAt, proof };
}

/** Kept for the person's own list of sessions only; nothing is decided by it. */
function tidyUserAgent(text: string | undefined): string | null {
  return text === undefined
    ? null
    : text
        .slice(0, USER_AGENT_MAX)
        .toWellFormed()
        .replace(/\p{Cc}/gu, " ");
}
