/** The built bin as a child process, on a data folder of its own. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const BIN = join(ROOT, "dist/cli/main.js");

/** Does nothing after `npm test`, which has just built. */
export function buildIfStale(): void {
  execFileSync(process.execPath, [join(ROOT, "scripts/build.mjs"), "--if-stale"], { stdio: "inherit" });
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly url: string;
  readonly mcp: string;
  readonly child: ChildProcess;
  /** Everything written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Scratch extends Disposable {
  /** A folder that does not exist yet. */
  readonly data: string;
  run(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Ended>;
  /** As `run`, with `--json`: what stdout holds. Fails when the command does. */
  json<T = Record<string, unknown>>(args: readonly string[], options?: { input?: string }): Promise<T>;
  /** `serve --port 0` until its ready line. */
  serve(args?: readonly string[], command?: readonly string[]): Promise<Running>;
}

export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
  const data = join(folder, "data");
  const children = new Set<ChildProcess>();

  function launch(
    args: readonly string[],
    { input, env }: { input?: string | undefined; env?: Record<string, string> | undefined },
  ) {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    children.add(child);
    child.stdin?.end(input);
    const written = { stdout: "", stderr: "" };
    child.stdout?.on("data", (part: Buffer) => (written.stdout += part.toString()));
    child.stderr?.on("data", (part: Buffer) => (written.stderr += part.toString()));
    const ended = new Promise<Ended>((resolve) => {
      child.on("close", (code) => {
        children.delete(child);
        resolve({ code, ...written });
      });
    });
    return { child, written, ended };
  }

  const here: Scratch = {
    data,
    run: (args, options = {}) => launch([...args, "--data", data], options).ended,
    async json<T>(args: readonly string[], options: { input?: string } = {}) {
      const { code, stdout, stderr } = await here.run([...args, "--json"], options);
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    async serve(args = ["--port", "0"], command = ["serve"]) {
      const { child, written, ended } = launch([...command, ...args, "--data", data], {});
      const failed = ended.then(({ code, stderr }) => {
        throw new Error(`serve ended with ${code}: ${stderr}`);
      });
      const line = await Promise.race([
        failed,
        new Promise<string>((resolve) =>
          child.stdout?.on("data", () => written.stdout.includes("\n") && resolve(written.stdout)),
        ),
      ]);
      failed.catch(() => undefined);
      const { url, mcp } = JSON.parse(line) as { url: string; mcp: string };
      return {
        url,
        mcp,
        child,
        stdout: () => written.stdout,
        stderr: () => written.stderr,
        stop(signal = "SIGTERM") {
          child.kill(signal);
          return ended;
        },
      };
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return here;
}
