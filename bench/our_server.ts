/** Countersign as it was built, in a process of its own that tells how much CPU it has used and decides when it is told to. */
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type * as logs from "../src/cli/log.ts";
import type * as servers from "../src/cli/server.ts";
import type * as configs from "../src/config.ts";
import type { Engine, Session } from "../src/engine/engine.ts";

/** From dist/: what is measured is what is shipped, and there may be nothing built yet when this file is type-checked. */
async function load<T>(path: string): Promise<T> {
  return (await import(new URL(`../dist/${path}`, import.meta.url).href)) as T;
}
const { startServer } = await load<typeof servers>("cli/server.js");
const { newLog } = await load<typeof logs>("cli/log.js");
const { readConfig } = await load<typeof configs>("config.js");

const PASSWORD = "a good passphrase";
const data = mkdtempSync(join(tmpdir(), "countersign-bench-"));
process.on("exit", () => rmSync(data, { recursive: true, force: true }));

const config = readConfig({}, { port: "0", data }, { home: homedir(), resolvePath: resolve, readFile: () => "" });
const log = newLog({ level: "error", people: false, now: Date.now, print: (line) => process.stderr.write(line) });
const server = await startServer(config, log);
const { engine } = server;
const { token } = await engine.operating("bench").addAgent({ name: "bench" });
await engine.operating("bench").addReviewer({ name: "Anna", password: PASSWORD });
const opened = await engine.reviewing.signInWithPassword({ name: "Anna", password: PASSWORD, from: "127.0.0.1" });
if (opened.kind !== "signed_in") throw new Error(opened.kind);

/** Prepares with a password, as the page does. The time is taken right before the decision's own work begins. */
async function decide({ reviewing }: Engine, session: Session, approvalId: string): Promise<{ committedAt: string }> {
  const viewed = await reviewing.view(session, approvalId);
  const prepared = await reviewing.prepare(session, {
    approvalId,
    decision: "submitted",
    requestDigest: viewed?.approval.requestDigest ?? "",
  });
  if (prepared.kind !== "prepared") throw new Error(prepared.kind);
  let committedAt = 0n;
  const stop = engine.onClosed(() => (committedAt = process.hrtime.bigint()));
  const decided = await reviewing.decide(
    session,
    prepared.intentId,
    { kind: "password", password: PASSWORD },
    "127.0.0.1",
  );
  stop();
  if (decided.kind !== "decided") throw new Error(decided.kind);
  return { committedAt: String(committedAt) };
}

type Asked =
  | { readonly id: number; readonly ask: "cpu" }
  | { readonly id: number; readonly ask: "decide"; readonly approvalId: string };

process.on("message", (asked: Asked) => {
  const answering =
    asked.ask === "cpu" ? Promise.resolve(process.cpuUsage()) : decide(engine, opened.session, asked.approvalId);
  answering.then(
    (answer) => process.send?.({ id: asked.id, answer }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on("SIGTERM", () => void Promise.resolve(server[Symbol.asyncDispose]()).finally(() => process.exit(0)));
process.send?.({
  ready: { mcp: server.mcp, token, url: server.url, cookie: `countersign_${new URL(server.url).port}=${opened.token}` },
});
