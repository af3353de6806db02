/** The real server in this process: both listeners, lock, tick and transports, on a free port and a temporary folder. */
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startServer } from "../../src/cli/server.ts";
import { newLog } from "../../src/cli/log.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { Engine } from "../../src/engine/engine.ts";

export const PASSWORD = "a good passphrase";

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly mcp: string;
  readonly engine: Engine;
  /** Adds an agent. @returns its bearer token */
  agent(name?: string, owner?: string): Promise<string>;
  /** Adds a reviewer whose password is {@link PASSWORD}. */
  reviewer(name?: string): Promise<void>;
}

export async function startTestServer(flags: Record<string, string> = {}): Promise<TestServer> {
  const data = await mkdtemp(join(tmpdir(), "countersign-test-"));
  const config: Config = readConfig(
    {},
    { port: "0", data, "log-level": "error", ...flags },
    { home: homedir(), resolvePath: resolve, readFile: () => "" },
  );
  const server = await startServer(
    config,
    newLog({ level: config.logLevel, people: false, now: Date.now, print: (line) => process.stderr.write(line) }),
  );
  const operating = server.engine.operating("test");
  return {
    url: server.url,
    mcp: server.mcp,
    engine: server.engine,
    agent: async (name = "deployer", owner) => (await operating.addAgent({ name, owner })).token,
    reviewer: async (name = "Anna") => void (await operating.addReviewer({ name, password: PASSWORD })),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(data, { recursive: true, force: true });
    },
  };
}
