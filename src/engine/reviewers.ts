/** Reviewers, as the operator manages them on the command line. Every change is an event with the OS user. */
import { ApprovalError } from "../approval/errors.ts";
import { nameKey, nameProblem, tidyName } from "../identity/name.ts";
import { passwordProblem } from "../identity/password.ts";
import { encodeBytes } from "../identity/secret.ts";
import { insertPassword } from "../store/credentials.ts";
import { appendEvent } from "../store/events.ts";
import { dropIntentsOfPerson } from "../store/intents.ts";
import * as people from "../store/people.ts";
import { deleteSessionsOf } from "../store/sessions.ts";
import type { EngineDeps } from "./deps.ts";
import type { Reviewer, Viewed } from "./engine.ts";
import { cliActor, newEvent, WORKSPACE_STREAM } from "./events.ts";
import { newPersonId } from "./setup.ts";

/** For how long every reviewer is shown that somebody was enrolled, in milliseconds. */
export const ENROLMENT_SHOWN_MS = 7 * 24 * 60 * 60_000;

/** Throws `invalid_request` for a bad or taken name and for a bad password. */
export async function addReviewer(
  deps: EngineDeps,
  osUser: string,
  input: { name: string; password: string },
): Promise<Reviewer> {
  const { workspace } = deps;
  const name = readName(input.name);
  const problem = passwordProblem(input.password);
  if (problem !== undefined) throw new ApprovalError("invalid_request", problem, { path: "/password" });
  const id = newPersonId(deps);
  const hash = await deps.passwords.hash(input.password, deps.randomBytes(16));
  const credential = encodeBytes(deps.randomBytes(16));
  const now = deps.now();
  const person = {
    workspace,
    id,
    name,
    nameKey: nameKey(name),
    enrolledAt: now,
    enrolledWay: "cli",
    enrolledBy: osUser,
  } as const;
  const enrolled = newEvent(deps, {
    stream: WORKSPACE_STREAM,
    type: "reviewer_enrolled",
    actor: cliActor(osUser),
    at: now,
    body: { reviewer: { id, name }, way: "cli", by: osUser, credential: "password" },
  });
  const added = await deps.db.transaction(async (tx) => {
    await people.lockEnrolment(tx, workspace);
    if (!(await people.insertPerson(tx, person))) return undefined;
    await people.insertMembership(tx, workspace, id, "reviewer", now);
    await insertPassword(tx, workspace, { credential, person: id, hash }, now);
    await appendEvent(tx, enrolled);
    return people.loadReviewer(tx, workspace, id);
  });
  if (added !== undefined) return added;
  const holder = await people.loadReviewerByName(deps.db, workspace, nameKey(name));
  const state =
    holder?.disabledAt == null ? "" : " (disabled; names are not used twice, so that old decisions stay clear)";
  throw new ApprovalError(
    "invalid_request",
    `A reviewer named ${holder?.name ?? name} exists already${state}. Choose another name.`,
    { path: "/name" },
  );
}

export async function listReviewers(deps: EngineDeps): Promise<readonly Reviewer[]> {
  return people.listReviewers(deps.db, deps.workspace);
}

/** Ends the person's sessions and drops their intents. Disabling twice is fine. Throws `not_found` for an unknown name. */
export async function disableReviewer(deps: EngineDeps, osUser: string, name: string): Promise<Reviewer> {
  const { workspace } = deps;
  const found = await findReviewer(deps, name, "/name");
  if (found.disabledAt !== null) return found;
  const now = deps.now();
  const disabled = newEvent(deps, {
    stream: WORKSPACE_STREAM,
    type: "reviewer_disabled",
    actor: cliActor(osUser),
    at: now,
    body: { reviewer: { id: found.id, name: found.name }, way: "cli", by: osUser },
  });
  const after = await deps.db.transaction(async (tx) => {
    // No row came back: somebody else disabled them between our look and our write, and noted it.
    if ((await people.disablePerson(tx, workspace, nameKey(found.name), now)) !== undefined) {
      // Intents before sessions, as a decision takes them: in the other order the two could wait for each other.
      await dropIntentsOfPerson(tx, workspace, found.id);
      await deleteSessionsOf(tx, workspace, found.id);
      await appendEvent(tx, disabled);
    }
    return people.loadReviewer(tx, workspace, found.id);
  });
  if (after === undefined) throw new Error("a reviewer vanished while being disabled");
  return after;
}

/** Throws `not_found` with the way to see the names. */
export async function findReviewer(deps: EngineDeps, name: string, path: string): Promise<Reviewer> {
  const found =
    nameProblem(name) === undefined
      ? await people.loadReviewerByName(deps.db, deps.workspace, nameKey(name))
      : undefined;
  if (found === undefined)
    throw new ApprovalError(
      "not_found",
      "There is no reviewer of that name. `countersign reviewer list` shows them all.",
      { path },
    );
  return found;
}

/** Who was enrolled within the last 7 days, the newest first; shown to every reviewer. */
export async function recentEnrolments(deps: EngineDeps): Promise<Viewed["recentEnrolments"]> {
  const recent = await people.listEnrolledSince(deps.db, deps.workspace, deps.now() - ENROLMENT_SHOWN_MS);
  return recent.map(({ id, name, enrolledAt, enrolledWay, enrolledBy }) => ({
    id,
    name,
    enrolledAt,
    enrolledWay,
    enrolledBy,
  }));
}

/** The tidy form of a new name. Throws `invalid_request`. */
export function readName(name: string): string {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new ApprovalError("invalid_request", problem, { path: "/name" });
  return tidyName(name);
}
