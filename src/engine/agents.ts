/** Agents and their tokens, as the operator manages them. Every change is an event with the OS user. */
import type { Identified } from "../approval/approval.ts";
import { ApprovalError } from "../approval/errors.ts";
import type { EventType } from "../approval/event.ts";
import { hashAgentToken, newAgentToken } from "../identity/agent_token.ts";
import { nameKey, nameProblem } from "../identity/name.ts";
import { encodeBytes } from "../identity/secret.ts";
import * as store from "../store/agents.ts";
import { appendEvent } from "../store/events.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { cliActor, newEvent, WORKSPACE_STREAM } from "./events.ts";
import { findReviewer, readName } from "./reviewers.ts";

const DAY_MS = 24 * 60 * 60_000;
export const EXPIRY_DAYS_MAX = 3_650;

export interface AgentInput {
  readonly name: string;
  /** A reviewer's name. */
  readonly owner?: string | undefined;
  readonly expiresInDays?: number | undefined;
}

/** Throws `invalid_request` for a bad or taken name or expiry, `not_found` for an unknown owner. */
export async function addAgent(
  deps: EngineDeps,
  osUser: string,
  input: AgentInput,
): Promise<{ agent: Agent; token: string }> {
  const { workspace } = deps;
  const name = readName(input.name);
  const lifetimeMs = readExpiry(input.expiresInDays);
  const owner = input.owner === undefined ? null : await findOwner(deps, input.owner);
  const agent: Agent = { workspace, id: `agent_${encodeBytes(deps.randomBytes(16))}`, name, owner };
  const now = deps.now();
  const made = newToken(deps, agent, lifetimeMs, now);
  const added = agentEvent(deps, osUser, "agent_added", agent, now, {
    owner: owner?.id ?? null,
    expiresAt: made.row.expiresAt,
  });
  const stored = await deps.db.transaction(async (tx) => {
    const row = {
      workspace,
      id: agent.id,
      name,
      nameKey: nameKey(name),
      owner: owner?.id ?? null,
      createdAt: now,
      createdBy: osUser,
    };
    if (!(await store.insertAgent(tx, row))) return false;
    await store.insertToken(tx, made.row);
    await appendEvent(tx, added);
    return true;
  });
  if (stored) return { agent, token: made.token };
  const holder = await store.loadAgentByName(deps.db, workspace, nameKey(name));
  const advice =
    holder?.revokedAt == null
      ? "Choose another name, or give it a new token with `countersign agent rotate`."
      : "It is revoked, and names are not used twice, so that the trail stays clear. Choose another name.";
  throw new ApprovalError("invalid_request", `An agent named ${holder?.name ?? name} exists already. ${advice}`, {
    path: "/name",
  });
}

export async function listAgents(deps: EngineDeps): Promise<readonly store.ListedAgent[]> {
  return store.listAgents(deps.db, deps.workspace);
}

/** A new token with the lifetime that the last one was given; the old ones end at once. Throws `forbidden` for a revoked agent. */
export async function rotateAgent(
  deps: EngineDeps,
  osUser: string,
  name: string,
): Promise<{ agent: Agent; token: string }> {
  const found = await findAgent(deps, name);
  const agent = agentOf(found);
  const lifetimeMs = await store.loadTokenLifetime(deps.db, deps.workspace, found.id);
  const now = deps.now();
  const made = newToken(deps, agent, lifetimeMs, now);
  const rotated = agentEvent(deps, osUser, "agent_rotated", agent, now, { expiresAt: made.row.expiresAt });
  const done = await deps.db.transaction(async (tx) => {
    if (!(await store.lockAgent(tx, deps.workspace, found.id))) return false;
    await store.revokeTokens(tx, deps.workspace, found.id, now);
    await store.insertToken(tx, made.row);
    await appendEvent(tx, rotated);
    return true;
  });
  if (!done)
    throw new ApprovalError(
      "forbidden",
      `The agent ${found.name} is revoked and gets no new token. Add a new agent under another name.`,
      { path: "/name" },
    );
  return { agent, token: made.token };
}

/** Its tokens end at once. Revoking twice is fine. */
export async function revokeAgent(deps: EngineDeps, osUser: string, name: string): Promise<Agent> {
  const agent = agentOf(await findAgent(deps, name));
  const now = deps.now();
  const revoked = agentEvent(deps, osUser, "agent_revoked", agent, now, {});
  await deps.db.transaction(async (tx) => {
    if (!(await store.revokeAgent(tx, deps.workspace, agent.id, now))) return;
    await store.revokeTokens(tx, deps.workspace, agent.id, now);
    await appendEvent(tx, revoked);
  });
  return agent;
}

async function findAgent(deps: EngineDeps, name: string): Promise<store.ListedAgent> {
  const found =
    nameProblem(name) === undefined ? await store.loadAgentByName(deps.db, deps.workspace, nameKey(name)) : undefined;
  if (found === undefined)
    throw new ApprovalError("not_found", "There is no agent of that name. `countersign agent list` shows them all.", {
      path: "/name",
    });
  return found;
}

async function findOwner(deps: EngineDeps, name: string): Promise<Identified> {
  const { id, name: shown, disabledAt } = await findReviewer(deps, name, "/owner");
  if (disabledAt !== null)
    throw new ApprovalError(
      "invalid_request",
      `${shown} is disabled and cannot own a new agent. Name another reviewer.`,
      { path: "/owner" },
    );
  return { id, name: shown };
}

function readExpiry(days: number | undefined): number | null {
  if (days === undefined) return null;
  if (!Number.isInteger(days) || days < 1 || days > EXPIRY_DAYS_MAX) {
    throw new ApprovalError("invalid_request", `Give the expiry in whole days, from 1 to ${EXPIRY_DAYS_MAX}.`, {
      path: "/expiresInDays",
    });
  }
  return days * DAY_MS;
}

type TokenRow = Parameters<typeof store.insertToken>[1];

function newToken(
  deps: EngineDeps,
  agent: Agent,
  lifetimeMs: number | null,
  now: number,
): { token: string; row: TokenRow } {
  const token = newAgentToken(deps.randomBytes(32));
  const hash = hashAgentToken(token);
  if (hash === undefined) throw new Error("a new agent token cannot be read back");
  const expiresAt = lifetimeMs === null ? null : now + lifetimeMs;
  return { token, row: { workspace: deps.workspace, hash, agent: agent.id, createdAt: now, expiresAt } };
}

function agentOf({ workspace, id, name, owner }: store.ListedAgent): Agent {
  return { workspace, id, name, owner };
}

function agentEvent(
  deps: EngineDeps,
  osUser: string,
  type: EventType,
  agent: Agent,
  at: number,
  more: { [key: string]: string | number | null },
) {
  const body = { agent: { id: agent.id, name: agent.name }, ...more };
  return newEvent(deps, { stream: WORKSPACE_STREAM, type, actor: cliActor(osUser), at, body });
}
