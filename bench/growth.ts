/** Whether a full store is slower than a young one: CPU of the engine's verbs at 100,000 stored approvals and at 1,000. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_POLICY } from "../src/approval/approval.ts";
import type { Approvals } from "../src/approval/approvals.ts";
import { DEFAULT_REQUEST_LIMITS } from "../src/approval/request.ts";
import type { Engine, Session } from "../src/engine/engine.ts";
import { openEngine } from "../src/engine/open_engine.ts";
import { newPasswords } from "../src/identity/password.ts";
import { systemClock } from "../src/open.ts";
import { openDatabase } from "../src/store/open.ts";
import { type Measured, median, ratio } from "./figures.ts";
import { fillApprovals } from "./fill.ts";

const SMALL = 1_000;
const LARGE = 100_000;
const WARM_UP_ROUNDS = 2;
const PASSWORD = "a good passphrase";
const ALLOWED = 1.3;

interface Store extends AsyncDisposable {
  readonly engine: Engine;
  readonly session: Session;
  readonly approvals: Approvals;
  /** Ids that are stored, old and new. */
  readonly ids: readonly string[];
}

interface Verb {
  readonly name: string;
  /** So many in a round. */
  readonly times: number;
  run(store: Store, n: number): Promise<unknown>;
}

const VERBS: readonly Verb[] = [
  {
    name: "create",
    times: 60,
    run: ({ approvals }, n) => approvals.request({ message: `Deploy ${n}?`, context: `{"target":"prod","n":${n}}` }),
  },
  { name: "status", times: 500, run: ({ approvals, ids }, n) => approvals.status(ids[(n * 7_919) % ids.length]) },
  { name: "first inbox page", times: 100, run: ({ engine, session }) => engine.reviewing.inbox(session) },
];

export async function measureGrowth(rounds: number): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  try {
    await using small = await openStore(join(folder, "small.db"), SMALL);
    await using large = await openStore(join(folder, "large.db"), LARGE);
    const measured: Measured[] = [];
    for (const verb of VERBS) {
      const used = { small: [] as number[], large: [] as number[] };
      for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
        const [a, b] = [await cpuOf(verb, small), await cpuOf(verb, large)];
        if (round < 0) continue;
        used.small.push(a);
        used.large.push(b);
      }
      const detail = `CPU ${median(used.large).toFixed(3)} ms against ${median(used.small).toFixed(3)} ms`;
      measured.push({
        what: `${verb.name} at ${LARGE.toLocaleString("en")} stored, to ${SMALL.toLocaleString("en")}`,
        value: ratio(used.large, used.small),
        allowed: ALLOWED,
        unit: "×",
        detail,
      });
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds of CPU for one. */
async function cpuOf(verb: Verb, store: Store): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < verb.times; n += 1) await verb.run(store, n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / verb.times / 1_000;
}

async function openStore(path: string, count: number): Promise<Store> {
  const db = await openDatabase({ kind: "sqlite", path });
  const engine = await openEngine({
    db,
    clock: systemClock,
    randomBytes: (length) => randomBytes(length),
    workspace: "default",
    publicUrl: "http://localhost:4747",
    rpId: "localhost",
    passkeys: true,
    proofWindowMs: 300_000,
    proofWindowApplies: false,
    limits: DEFAULT_REQUEST_LIMITS,
    awaitMaxSeconds: 55,
    policy: DEFAULT_POLICY,
    passwords: newPasswords({ ln: 4, r: 8, p: 1 }),
  });
  const operating = engine.operating("bench");
  const reviewer = await operating.addReviewer({ name: "Anna", password: PASSWORD });
  const { agent } = await operating.addAgent({ name: "bench" });
  const opened = await engine.reviewing.signInWithPassword({ name: "Anna", password: PASSWORD, from: "127.0.0.1" });
  if (opened.kind !== "signed_in") throw new Error(opened.kind);
  await fillApprovals(db, { workspace: "default", agents: [agent], reviewer, count, until: Date.now(), randomBytes });
  const rows = await db.query<{ id: string }>("SELECT id FROM approvals");
  return {
    engine,
    session: opened.session,
    approvals: engine.approvalsOf(agent),
    ids: rows.map(({ id }) => id),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
    },
  };
}
