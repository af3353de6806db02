/**
 * The engine's verbs over a real database, with the clock in the test's hand and proofs that cost nothing: for races
 * and deadlines, where a real password or passkey would only be slow. Real proofs are tested in `identity/`,
 * `http/` and `browser/`.
 */
import { randomBytes } from "node:crypto";
import { DEFAULT_POLICY } from "../../src/approval/approval.ts";
import { DEFAULT_REQUEST_LIMITS } from "../../src/approval/request.ts";
import { newAttempts } from "../../src/engine/attempts.ts";
import { newClosings } from "../../src/engine/closings.ts";
import type { Clock } from "../../src/engine/clock.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import type { Agent, Reviewer, Session } from "../../src/engine/engine.ts";
import { newWaiters } from "../../src/engine/waiters.ts";
import { newPasswords } from "../../src/identity/password.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { closedAmong } from "../../src/store/approvals.ts";
import type { Database } from "../../src/store/database.ts";
import { insertMembership, insertPerson } from "../../src/store/people.ts";

export function verbDeps(db: Database, clock: Clock, over: Partial<EngineDeps> = {}): EngineDeps {
  const workspace = over.workspace ?? "default";
  return {
    db,
    clock,
    now: () => clock.now() + db.clockOffsetMs(),
    randomBytes: (length) => randomBytes(length),
    workspace,
    publicUrl: "http://localhost:4747",
    rpId: "localhost",
    passkeys: true,
    proofWindowMs: 300_000,
    proofWindowApplies: false,
    limits: DEFAULT_REQUEST_LIMITS,
    awaitMaxSeconds: 55,
    policy: DEFAULT_POLICY,
    verifyProof: async ({ proof }) =>
      proof.kind === "password" && proof.password === "right"
        ? {
            ok: true,
            assurance: "reauthenticated",
            evidence: { kind: "test" },
            stillGood: async () => true,
            use: async () => undefined,
          }
        : { ok: false, reason: "wrong" },
    passwords: newPasswords({ ln: 4, r: 8, p: 1 }),
    attempts: newAttempts(clock),
    waiters: newWaiters(clock, (ids) => closedAmong(db, workspace, ids)),
    closings: newClosings(),
    ...over,
  };
}

export const RIGHT = { kind: "password", password: "right" } as const;

export async function addTestAgent(deps: EngineDeps, name = "deployer", owner: Reviewer | null = null): Promise<Agent> {
  const id = `agent-${name}-${randomBytes(4).toString("hex")}`;
  await insertAgent(deps.db, {
    workspace: deps.workspace,
    id,
    name,
    nameKey: `${name}-${id}`,
    owner: owner?.id ?? null,
    createdAt: deps.now(),
    createdBy: "test",
  });
  return { workspace: deps.workspace, id, name, owner: owner && { id: owner.id, name: owner.name } };
}

/** A reviewer who exists in the database, with a session that needs no cookie. */
export async function addTestReviewer(deps: EngineDeps, name: string): Promise<Session> {
  const id = `person-${name}-${randomBytes(4).toString("hex")}`;
  const now = deps.now();
  await insertPerson(deps.db, {
    workspace: deps.workspace,
    id,
    name,
    nameKey: `${name}-${id}`,
    enrolledAt: now,
    enrolledWay: "cli",
    enrolledBy: "test",
  });
  await insertMembership(deps.db, deps.workspace, id, "reviewer", now);
  const reviewer: Reviewer = {
    workspace: deps.workspace,
    id,
    name,
    enrolledAt: now,
    enrolledWay: "cli",
    enrolledBy: "test",
    disabledAt: null,
    hasPassword: true,
    passkeys: 0,
  };
  return { hash: `session-${id}`, reviewer, csrf: "csrf", expiresAt: now + 43_200_000, provedAt: null, proof: null };
}
