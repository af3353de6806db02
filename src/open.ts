/**
 * Composition root of the server: a settled configuration becomes an engine over its adapters. The only place, with
 * `cli/`, where the clock and chance come from.
 */
import { randomBytes } from "node:crypto";
import { DEFAULT_POLICY } from "./approval/approval.ts";
import type { Config } from "./config.ts";
import { passkeysPossible } from "./config/public_url.ts";
import type { Clock } from "./engine/clock.ts";
import type { Engine } from "./engine/engine.ts";
import { openEngine } from "./engine/open_engine.ts";
import { newPasswords, type Passwords } from "./identity/password.ts";
import type { Database } from "./store/database.ts";
import { openDatabase } from "./store/open.ts";

/** The machine's clock. Its timers do not keep a process alive that has nothing else to do. */
export const systemClock: Clock = {
  now: Date.now,
  timer(ms, fire) {
    const timer = setTimeout(fire, ms).unref();
    return () => clearTimeout(timer);
  },
};

export interface OpenOptions {
  /** The origin that reviewers open; with port 0 it is known only after listening. */
  readonly publicUrl: string;
  readonly clock?: Clock;
  /** Cheaper password hashing, for tests. */
  readonly passwords?: Passwords;
}

export interface OpenedCountersign extends AsyncDisposable {
  readonly engine: Engine;
  readonly database: Database;
}

/** The one workspace of this release; every row names it, so that there can be more. */
const WORKSPACE = "default";

/**
 * Opens the database, migrating it if needed, and the engine over it.
 *
 * @throws DatabaseUnavailable when it cannot be reached, NewerSchema when a newer program has used it.
 */
export async function openCountersign(config: Config, options: OpenOptions): Promise<OpenedCountersign> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config.database));
  const site = new URL(options.publicUrl);
  const engine = await openEngine({
    db: database,
    clock: options.clock ?? systemClock,
    randomBytes: (length) => randomBytes(length),
    workspace: WORKSPACE,
    publicUrl: site.origin,
    rpId: site.hostname,
    passkeys: passkeysPossible(site.origin),
    proofWindowMs: config.proofWindowMs,
    proofWindowApplies: site.protocol === "https:",
    limits: config,
    awaitMaxSeconds: config.awaitMaxSeconds,
    policy: DEFAULT_POLICY,
    passwords: options.passwords ?? newPasswords(),
  });
  stack.use(engine);
  const all = stack.move();
  return { engine, database, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
