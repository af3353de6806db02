/** The one-time code that opens the setup page, made by the operator while nobody is enrolled. */
import { ApprovalError } from "../approval/errors.ts";
import { hashSecret } from "../identity/secret.ts";
import { newSetupCode, readSetupCode } from "../identity/setup_code.ts";
import { insertSetupCode } from "../store/codes.ts";
import { appendEvent } from "../store/events.ts";
import { lockEnrolment } from "../store/people.ts";
import type { EngineDeps } from "./deps.ts";
import { cliActor, newEvent, WORKSPACE_STREAM } from "./events.ts";

/** How long a setup code can be used, in milliseconds. */
export const SETUP_CODE_MS = 10 * 60_000;

/** @returns the code, which is stored only as a hash. Throws `forbidden` when anybody is or was enrolled. */
export async function makeSetupCode(deps: EngineDeps, osUser: string): Promise<{ code: string; expiresAt: number }> {
  const code = newSetupCode(deps.randomBytes(15));
  const digits = readSetupCode(code);
  if (digits === undefined) throw new Error("a new setup code cannot be read back");
  const now = deps.now();
  const expiresAt = now + SETUP_CODE_MS;
  const stored = {
    workspace: deps.workspace,
    hash: hashSecret("setup-code", digits),
    createdAt: now,
    createdBy: osUser,
    expiresAt,
  };
  const made = newEvent(deps, {
    stream: WORKSPACE_STREAM,
    type: "setup_code_made",
    actor: cliActor(osUser),
    at: now,
    body: { expiresAt },
  });
  const open = await deps.db.transaction(async (tx) => {
    await lockEnrolment(tx, deps.workspace);
    if (!(await insertSetupCode(tx, stored))) return false;
    await appendEvent(tx, made);
    return true;
  });
  if (!open) {
    throw new ApprovalError(
      "forbidden",
      "Setup is over: a reviewer is or was enrolled here. Add another one with `countersign reviewer add NAME`.",
    );
  }
  return { code, expiresAt };
}
