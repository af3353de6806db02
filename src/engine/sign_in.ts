/** Signing in with a password. An unknown name and a wrong password are the same answer, after the same work. */
import { nameKey, nameProblem } from "../identity/name.ts";
import { loadPasswordByName, touchCredential } from "../store/credentials.ts";
import type { EngineDeps } from "./deps.ts";
import type { SignIn } from "./engine.ts";
import { newSession, openSession } from "./session.ts";

export interface PasswordSignIn {
  readonly name: string;
  readonly password: string;
  /** The peer's address. */
  readonly from: string;
  readonly userAgent?: string | undefined;
}

export async function signInWithPassword(deps: EngineDeps, input: PasswordSignIn): Promise<SignIn> {
  const key = nameProblem(input.name) === undefined ? nameKey(input.name) : null;
  const retryAfterSeconds = deps.attempts.admitSignIn(key, input.from);
  if (retryAfterSeconds !== undefined) return { kind: "rate_limited", retryAfterSeconds };
  const stored = key === null ? undefined : await loadPasswordByName(deps.db, deps.workspace, key);
  const right = await deps.passwords.verify(input.password, stored?.hash);
  if (!right || stored === undefined) return { kind: "refused" };

  const draft = newSession(deps, stored.person, "password", input.userAgent);
  const now = deps.now();
  const opened = await deps.db.transaction(async (tx) => {
    const used = await touchCredential(tx, deps.workspace, { ...stored, signCount: null }, now);
    return used ? openSession(deps, tx, draft, now) : undefined;
  });
  if (opened === undefined) return { kind: "refused" };
  deps.attempts.signedIn(key, input.from);
  return { kind: "signed_in", ...opened };
}
