/** From the start of the process to its ready line, against the bare SDK server. Both are plain JavaScript by then. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measured, median, ratio } from "./figures.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function measureStart(rounds: number): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const bare = strippedBareServer();
  try {
    const again = join(folder, "again");
    const serve = (data: string): Promise<number> =>
      startOnce([join(root, "dist/cli/main.js"), "serve", "--port", "0", "--data", data, "--log-level", "error"]);
    await serve(again);
    await startOnce([bare]);
    const took = { bare: [] as number[], again: [] as number[], first: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      took.bare.push(await startOnce([bare]));
      took.again.push(await serve(again));
      took.first.push(await serve(join(folder, `first-${round}`)));
    }
    const against = (ours: readonly number[]): string =>
      `${median(ours).toFixed(0)} ms against ${median(took.bare).toFixed(0)} ms`;
    return [
      {
        what: "start to the ready line, to the bare SDK",
        value: ratio(took.again, took.bare),
        allowed: 2.5,
        unit: "×",
        detail: against(took.again),
      },
      {
        what: "the very first start, which makes the database, to the bare SDK",
        value: ratio(took.first, took.bare),
        allowed: 2.5,
        unit: "×",
        detail: against(took.first),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(bare);
  }
}

/** The baseline must not pay for TypeScript at its start, since ours does not. */
function strippedBareServer(): string {
  const path = join(root, "tmp", `bare-server-${process.pid}.mjs`);
  mkdirSync(join(root, "tmp"), { recursive: true });
  writeFileSync(path, stripTypeScriptTypes(readFileSync(new URL("bare_server.ts", import.meta.url), "utf8")));
  return path;
}

/** In milliseconds. */
async function startOnce(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const took = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (part: Buffer) => {
      text += part.toString();
      if (text.includes('"event":"ready"')) resolve(performance.now() - started);
    });
    child.on("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
  });
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
  return took;
}
