/** The trail as the verbs write it: the body is committed to before the transaction, the link is made inside it. */
import { type Actor, draftEvent, type EventDraft, type EventType } from "../approval/event.ts";
import type { JsonValue } from "../approval/json_text.ts";
import type { Agent, Reviewer } from "./engine.ts";
import type { EngineDeps } from "./deps.ts";

/** The stream of what concerns no single approval: enrolments, agents, setup codes. */
export const WORKSPACE_STREAM = "workspace";

const SALT_BYTES = 16;

/** @param stream An approval's id, or {@link WORKSPACE_STREAM}. */
export function newEvent(
  deps: EngineDeps,
  event: { stream: string; type: EventType; actor: Actor; at: number; body?: JsonValue },
): EventDraft {
  const salt = Buffer.from(deps.randomBytes(SALT_BYTES)).toString("base64url");
  return draftEvent({ ...event, workspace: deps.workspace, salt, body: event.body ?? {} });
}

export function agentActor(agent: Pick<Agent, "id" | "name">): Actor {
  return { kind: "agent", id: agent.id, name: agent.name };
}

export function reviewerActor(reviewer: Pick<Reviewer, "id" | "name">): Actor {
  return { kind: "reviewer", id: reviewer.id, name: reviewer.name };
}

export function cliActor(osUser: string): Actor {
  return { kind: "cli", id: osUser, name: osUser };
}

export const SYSTEM_ACTOR: Actor = { kind: "system", id: "clock", name: "Countersign" };
