/** The engine: every verb bound to what it needs. */
import { closedAmong } from "../store/approvals.ts";
import { tryWriting } from "../store/writable.ts";
import { addAgent, listAgents, revokeAgent, rotateAgent } from "./agents.ts";
import { approvalsOf } from "./approvals_of.ts";
import { type Attempts, newAttempts } from "./attempts.ts";
import { authenticate } from "./authenticate.ts";
import { CLOSED_CHANNEL, newClosings } from "./closings.ts";
import { decide } from "./decide.ts";
import type { EngineDeps } from "./deps.ts";
import type { Engine, Operating, Reviewing } from "./engine.ts";
import { inbox } from "./inbox.ts";
import { cancelByOperator, listWorkspace, show } from "./operate.ts";
import { prepare, preparedIntent } from "./prepare.ts";
import { decisionPasskeyOptions, verifyProof } from "./proof.ts";
import { addReviewer, disableReviewer, listReviewers } from "./reviewers.ts";
import { session, signOut } from "./session.ts";
import { makeSetupCode } from "./setup_code.ts";
import { setUpWithPassword, setupOpen } from "./setup.ts";
import { beginPasskeySetup, setUpWithPasskey } from "./setup_passkey.ts";
import { signInWithPassword } from "./sign_in.ts";
import { beginPasskeySignIn, signInWithPasskey } from "./sign_in_passkey.ts";
import { newTick } from "./tick.ts";
import { tellUnavailable } from "./unavailable.ts";
import { view } from "./view.ts";
import { newWaiters } from "./waiters.ts";

/** What the composition root settles; the rest the engine makes for itself. */
export type EngineSettings = Omit<EngineDeps, "now" | "verifyProof" | "attempts" | "waiters" | "closings"> & {
  readonly attempts?: Attempts;
};

/** Disposing of it ends the waits, which answer as their approvals then stand, and the listening; the database stays open, since whoever opened it closes it. */
export async function openEngine(settings: EngineSettings): Promise<Engine> {
  const { db, clock, workspace } = settings;
  const deps: EngineDeps = {
    attempts: newAttempts(clock),
    ...settings,
    now: () => clock.now() + db.clockOffsetMs(),
    verifyProof: (asked) => verifyProof(deps, asked),
    waiters: newWaiters(clock, (ids) => closedAmong(db, workspace, ids)),
    closings: newClosings(),
  };
  const listening = await db.listen?.(CLOSED_CHANNEL, (approvalId) => {
    deps.waiters.wake(approvalId);
    deps.closings.tell(approvalId);
  });
  return {
    authenticate: tellUnavailable({ authenticate: (token: string) => authenticate(deps, token) }).authenticate,
    approvalsOf: (agent) => tellUnavailable(approvalsOf(deps, agent)),
    onClosed: (listener) => deps.closings.listen(listener),
    reviewing: tellUnavailable(reviewing(deps)),
    operating: (osUser) => tellUnavailable(operating(deps, osUser)),
    ...tellUnavailable({ checkWritable: () => checkWritable(deps), tick: newTick(deps) }),
    async [Symbol.asyncDispose]() {
      await listening?.[Symbol.asyncDispose]();
      deps.waiters[Symbol.dispose]();
    },
  };
}

function reviewing(deps: EngineDeps): Reviewing {
  return {
    session: (token) => session(deps, token),
    signInWithPassword: (input) => signInWithPassword(deps, input),
    beginPasskeySignIn: (from) => beginPasskeySignIn(deps, from),
    signInWithPasskey: (input) => signInWithPasskey(deps, input),
    signOut: (ended) => signOut(deps, ended),
    setupOpen: () => setupOpen(deps),
    setUpWithPassword: (input) => setUpWithPassword(deps, input),
    beginPasskeySetup: (input) => beginPasskeySetup(deps, input),
    setUpWithPasskey: (input) => setUpWithPasskey(deps, input),
    inbox: (_session, query) => inbox(deps, query),
    view: ({ reviewer }, approvalId) => view(deps, reviewer, approvalId),
    prepare: (by, input) => prepare(deps, by, input),
    intent: (by, intentId) => preparedIntent(deps, by, intentId),
    async passkeyOptions(by, intentId) {
      const prepared = await preparedIntent(deps, by, intentId);
      return prepared && decisionPasskeyOptions(deps, by, prepared.intent);
    },
    decide: (by, intentId, proof, from) => decide(deps, by, intentId, proof, from),
  };
}

function operating(deps: EngineDeps, osUser: string): Operating {
  return {
    addReviewer: (input) => addReviewer(deps, osUser, input),
    listReviewers: () => listReviewers(deps),
    disableReviewer: (name) => disableReviewer(deps, osUser, name),
    newSetupCode: () => makeSetupCode(deps, osUser),
    addAgent: (input) => addAgent(deps, osUser, input),
    listAgents: () => listAgents(deps),
    rotateAgent: (name) => rotateAgent(deps, osUser, name),
    revokeAgent: (name) => revokeAgent(deps, osUser, name),
    list: (query) => listWorkspace(deps, query),
    show: (id) => show(deps, id),
    cancel: (id, reason) => cancelByOperator(deps, osUser, id, reason),
  };
}

async function checkWritable({ db, workspace, now }: EngineDeps): Promise<void> {
  const at = now();
  await db.transaction((tx) => tryWriting(tx, workspace, at));
}
