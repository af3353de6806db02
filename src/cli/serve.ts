/** `countersign serve`: the server, for people and for scripts. */
import type { Flags } from "../config/given.ts";
import { command } from "./command.ts";
import { newLog } from "./log.ts";
import type { Log } from "./log.ts";
import { startServer } from "./server.ts";
import type { RunningServer } from "./server.ts";
import { loadConfig } from "./settings.ts";
import { untilStopped } from "./signals.ts";

export const serve = command({
  name: "serve",
  description: "Start the server. Prints one JSON line when it is ready; logs go to stderr",
  options: "server",
  run: (_args, flags) => runServe(flags),
});

/** Serves until it is asked to end. */
export async function runServe(flags: Flags): Promise<void> {
  const config = loadConfig(flags);
  const log = newLog({
    level: config.logLevel,
    people: process.stderr.isTTY,
    now: Date.now,
    print: (line) => process.stderr.write(line),
  });
  const stopped = untilStopped();
  await using server = await startServer(config, log);
  await tellWhatIsMissing(server, log);
  process.stdout.write(`${JSON.stringify({ event: "ready", url: server.url, mcp: server.mcp })}\n`);
  log.write("info", "stopping", `Ending on ${await stopped}: waiting calls are answered “pending”.`);
}

async function tellWhatIsMissing({ engine, url, mcp }: RunningServer, log: Log): Promise<void> {
  log.write("info", "ready", `Countersign is at ${url}; agents connect to ${mcp}.`, { url, mcp });
  if (await engine.reviewing.setupOpen())
    log.write(
      "warn",
      "reviewer_missing",
      "Nobody can decide yet. Run “countersign setup” for a link, or “countersign reviewer add NAME”.",
    );
  const agents = await engine.operating("serve").listAgents();
  if (!agents.some((agent) => agent.revokedAt === null))
    log.write(
      "warn",
      "agent_missing",
      "No agent can ask yet. Run “countersign agent add NAME --for claude-code|codex|cursor|vscode|json”.",
    );
}
