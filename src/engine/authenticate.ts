/** Who is behind a bearer token. Runs at every call of an agent: one indexed read, and a write at most once a minute. */
import { hashAgentToken } from "../identity/agent_token.ts";
import { loadAgentByToken, touchToken } from "../store/agents.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { NOTE_USE_MS, noteUse } from "./session.ts";

/** Undefined for a token that is unknown, malformed, revoked or expired; which of these is not told. */
export async function authenticate(deps: EngineDeps, token: string): Promise<Agent | undefined> {
  const hash = hashAgentToken(token);
  if (hash === undefined) return undefined;
  const now = deps.now();
  const found = await loadAgentByToken(deps.db, deps.workspace, hash, now);
  if (found === undefined) return undefined;
  if (found.usedAt === null || now - found.usedAt >= NOTE_USE_MS) {
    await noteUse(() => touchToken(deps.db, deps.workspace, hash, now, now - NOTE_USE_MS));
  }
  return found.agent;
}
