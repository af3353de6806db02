/** `countersign` alone, on a real terminal (a pseudo-terminal made by `script` of util-linux). */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { buildIfStale, scratch } from "./process.ts";

const BIN = join(import.meta.dirname, "../../dist/cli/main.js");
const ENTER = "\r";
const DOWN = "\x1b[B";
const CTRL_C = "\x03";
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]/g;

beforeAll(buildIfStale);

interface Terminal extends Disposable {
  /** Resolves once this stands on the screen, after everything that was waited for before. */
  sees(text: RegExp): Promise<void>;
  types(keys: string): void;
  readonly ended: Promise<number | null>;
  readonly screen: () => string;
}

function openTerminal(args: readonly string[], home: string): Terminal {
  // A pseudo-terminal begins without a size, and a person's never does.
  const command = `stty columns 120 rows 40; exec ${[process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ")}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color", COLUMNS: "100", LINES: "40" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  let read = 0;
  let arrived: () => void = () => undefined;
  child.stdout.on("data", (part: Buffer) => {
    written += part.toString().replaceAll(ESCAPES, "");
    arrived();
  });
  return {
    async sees(text) {
      for (;;) {
        const found = text.exec(written.slice(read));
        if (found !== null) {
          read += found.index + found[0].length;
          return;
        }
        await new Promise<void>((resolve) => (arrived = resolve));
      }
    },
    types: (keys) => void child.stdin.write(keys),
    ended: new Promise((resolve) => child.once("exit", resolve)),
    screen: () => written,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

test("the guide enrols the first reviewer with a password, adds the first agent, shows what to paste, and ends on Ctrl-C", async () => {
  using place = scratch();
  using terminal = openTerminal(["--port", "0", "--data", place.data], place.data);
  await terminal.sees(/server runs at http:\/\/localhost:\d+/);
  await terminal.sees(/How do you want to enrol/);
  await terminal.sees(/Here, with a password/);
  terminal.types(DOWN + ENTER);
  await terminal.sees(/Your name/);
  terminal.types(`Anna${ENTER}`);
  await terminal.sees(/Password/);
  terminal.types(`a good passphrase${ENTER}`);
  await terminal.sees(/again/);
  terminal.types(`a good passphrase${ENTER}`);
  await terminal.sees(/Anna can decide now/);
  await terminal.sees(/Which program shall ask/);
  await terminal.sees(/None now/);
  terminal.types(ENTER);
  await terminal.sees(/A name for this agent/);
  terminal.types(ENTER);
  await terminal.sees(/claude mcp add --transport http/);
  await terminal.sees(/Ctrl-C ends the server/);
  terminal.types(CTRL_C);
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).not.toContain("a good passphrase");
  expect(await place.json(["reviewer", "list"])).toMatchObject({ reviewers: [{ name: "Anna", enrolledWay: "cli" }] });
  expect(await place.json(["agent", "list"])).toMatchObject({
    agents: [{ name: "claude-code", owner: { name: "Anna" } }],
  });
});

test("the guide's link enrols nobody by itself, and Ctrl-C keeps what was set up so far", async () => {
  using place = scratch();
  using terminal = openTerminal(["--port", "0", "--data", place.data], place.data);
  await terminal.sees(/In the browser/);
  terminal.types(ENTER);
  await terminal.sees(/http:\/\/localhost:\d+\/setup#code=[0-9A-Z-]{17}/);
  await terminal.sees(/Waiting for you in the browser/);
  terminal.types(CTRL_C);
  await terminal.ended;
  expect(await place.json(["reviewer", "list"])).toEqual({ reviewers: [] });
});
