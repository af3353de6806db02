/**
 * The first reviewer, enrolled on the web with the one-time code that the operator made. Once anybody is enrolled this
 * is over for good. The code is burned, and person, credential, event and session are stored, in one transaction.
 */
import type { FieldProblem } from "../approval/form.ts";
import { nameKey, nameProblem, tidyName } from "../identity/name.ts";
import { passwordProblem } from "../identity/password.ts";
import { encodeBytes, hashSecret } from "../identity/secret.ts";
import { readSetupCode } from "../identity/setup_code.ts";
import { burnSetupCode, countSetupTry, isSetupCodeLive } from "../store/codes.ts";
import { insertPassword } from "../store/credentials.ts";
import type { Queryable } from "../store/database.ts";
import { appendEvent } from "../store/events.ts";
import { anyoneEnrolled, insertFirstPerson, insertMembership, lockEnrolment } from "../store/people.ts";
import type { EngineDeps } from "./deps.ts";
import type { OpenedSession, SetupInput, SetupOutcome } from "./engine.ts";
import { newEvent, reviewerActor, WORKSPACE_STREAM } from "./events.ts";
import { newSession, openSession } from "./session.ts";

export type SetupRefusal = Exclude<SetupOutcome, { kind: "enrolled" }>;

export async function setupOpen(deps: EngineDeps): Promise<boolean> {
  return !(await anyoneEnrolled(deps.db, deps.workspace));
}

export interface PasswordSetup extends SetupInput {
  readonly password: string;
  /** The peer's address. */
  readonly from: string;
  readonly userAgent?: string | undefined;
}

export async function setUpWithPassword(deps: EngineDeps, input: PasswordSetup): Promise<SetupOutcome> {
  const problem = passwordProblem(input.password);
  const admitted = await admitSetup(
    deps,
    input,
    input.from,
    problem === undefined ? [] : [{ field: "password", message: problem }],
  );
  if (admitted.kind !== "admitted") return admitted;
  const person = newPersonId(deps);
  const hash = await deps.passwords.hash(input.password, deps.randomBytes(16));
  const credential = encodeBytes(deps.randomBytes(16));
  return enrolFirst(deps, {
    codeHash: admitted.codeHash,
    person,
    name: input.name,
    proof: "password",
    userAgent: input.userAgent,
    store: (tx, now) => insertPassword(tx, deps.workspace, { credential, person, hash }, now),
  });
}

/** The checks before any costly step. A wrong code is counted here, a wrong name or password costs nothing. */
export async function admitSetup(
  deps: EngineDeps,
  input: SetupInput,
  from: string,
  problems: readonly FieldProblem[],
): Promise<{ readonly kind: "admitted"; readonly codeHash: string } | SetupRefusal> {
  if (!(await setupOpen(deps))) return { kind: "closed" };
  const name = nameProblem(input.name);
  const all = name === undefined ? problems : [{ field: "name", message: name }, ...problems];
  if (all.length > 0) return { kind: "invalid", problems: all };
  const retryAfterSeconds = deps.attempts.admitSetup(from);
  if (retryAfterSeconds !== undefined) return { kind: "rate_limited", retryAfterSeconds };
  const code = readSetupCode(input.code);
  // Text that cannot be a code is a slip of the keyboard, and no try: it tells a guesser nothing.
  if (code === undefined) return { kind: "wrong_code" };
  const codeHash = hashSecret("setup-code", code);
  const now = deps.now();
  if (await isSetupCodeLive(deps.db, deps.workspace, codeHash, now)) return { kind: "admitted", codeHash };
  // Somebody may have enrolled with this very code since setup was seen open; that is no wrong code, and no try.
  if (!(await setupOpen(deps))) return { kind: "closed" };
  await countSetupTry(deps.db, deps.workspace, now);
  return { kind: "wrong_code" };
}

export function newPersonId(deps: EngineDeps): string {
  return `person_${encodeBytes(deps.randomBytes(16))}`;
}

export interface FirstEnrolment {
  readonly codeHash: string;
  readonly person: string;
  readonly name: string;
  readonly proof: "password" | "passkey";
  readonly userAgent: string | undefined;
  /** Stores the credential. */
  store(tx: Queryable, now: number): Promise<void>;
}

export async function enrolFirst(deps: EngineDeps, first: FirstEnrolment): Promise<SetupOutcome> {
  const { workspace } = deps;
  const now = deps.now();
  const name = tidyName(first.name);
  const draft = newSession(deps, first.person, first.proof, first.userAgent);
  const identified = { id: first.person, name };
  const enrolled = newEvent(deps, {
    stream: WORKSPACE_STREAM,
    type: "reviewer_enrolled",
    actor: reviewerActor(identified),
    at: now,
    body: { reviewer: identified, way: "web", by: null, credential: first.proof },
  });
  const outcome = await deps.db.transaction(async (tx): Promise<OpenedSession | "closed" | "wrong_code"> => {
    await lockEnrolment(tx, workspace);
    if (!(await burnSetupCode(tx, workspace, first.codeHash, now)))
      return (await anyoneEnrolled(tx, workspace)) ? "closed" : "wrong_code";
    const person = {
      workspace,
      id: first.person,
      name,
      nameKey: nameKey(name),
      enrolledAt: now,
      enrolledWay: "web",
      enrolledBy: null,
    } as const;
    if (!(await insertFirstPerson(tx, person)))
      throw new Error("a setup code was burned although somebody is enrolled");
    await insertMembership(tx, workspace, first.person, "reviewer", now);
    await first.store(tx, now);
    await appendEvent(tx, enrolled);
    const opened = await openSession(deps, tx, draft, now);
    if (opened === undefined) throw new Error("a reviewer was enrolled and could not be signed in");
    return opened;
  });
  return typeof outcome === "string" ? { kind: outcome } : { kind: "enrolled", ...outcome };
}
