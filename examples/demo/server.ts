/** The real server, as an operator would start it: the bin, on a temporary folder, with one reviewer and one agent. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface DemoServer extends AsyncDisposable {
  readonly url: string;
  readonly mcp: string;
  /** The agent's bearer token. */
  readonly token: string;
}

/** Starts it on a free port and waits for its ready line. Disposing of it ends the process and removes the folder. */
export async function startServer(reviewer: { name: string; password: string }, agent: string): Promise<DemoServer> {
  const data = await mkdtemp(join(tmpdir(), "countersign-demo-"));
  await run(["reviewer", "add", reviewer.name, "--password-stdin", "--data", data], `${reviewer.password}\n`);
  const { token } = JSON.parse(await run(["agent", "add", agent, "--json", "--data", data])) as { token: string };
  const child = spawn(process.execPath, [BIN, "serve", "--port", "0", "--log-level", "error", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { url, mcp } = await ready(child);
  return {
    url,
    mcp,
    token,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await ended;
      }
      await rm(data, { recursive: true, force: true });
    },
  };
}

function run(args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [BIN, ...args], (error, stdout, stderr) =>
      error ? reject(new Error(stderr || error.message)) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}

async function ready(child: ChildProcess): Promise<{ url: string; mcp: string }> {
  if (child.stdout === null) throw new Error("the server has no output to read");
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { event: string; url: string; mcp: string };
    if (told.event === "ready") return told;
  }
  throw new Error("The server ended before it was ready; what it said stands above.");
}
