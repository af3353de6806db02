// src/ → dist/: TypeScript by tsc, the browser's files copied as they are, the bin made executable.
// With --if-stale only when something in src/ is newer than what was built.
import "./check_node.mjs";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const at = (path) => `${root}/${path}`;

if (!process.argv.includes("--if-stale") || isStale()) build();

function build() {
  // Built beside and swapped in at the end: a server or a test that runs from dist/ never sees half of it, and a file
  // whose source is gone does not stay.
  const fresh = `tmp/build-${process.pid}`;
  mkdirSync(at("tmp"), { recursive: true });
  compile("tsconfig.build.json", "--outDir", at(fresh));
  if (existsSync(at("tsconfig.browser.json"))) compile("tsconfig.browser.json", "--noEmit");
  if (existsSync(at("src/page/assets"))) cpSync(at("src/page/assets"), at(`${fresh}/page/assets`), { recursive: true });
  const { bin } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  for (const path of Object.values(bin)) chmodSync(at(path.replace("dist", fresh)), 0o755);

  const old = `tmp/old-${process.pid}`;
  if (existsSync(at("dist"))) renameSync(at("dist"), at(old));
  renameSync(at(fresh), at("dist"));
  rmSync(at(old), { recursive: true, force: true });
}

function compile(project, ...options) {
  const { status } = spawnSync(
    process.execPath,
    [at("node_modules/typescript/bin/tsc"), "-p", at(project), ...options],
    { stdio: "inherit", cwd: root },
  );
  if (status === 0) return;
  rmSync(at(`tmp/build-${process.pid}`), { recursive: true, force: true });
  process.exit(status ?? 1);
}

function isStale() {
  const sources = ["src", "package.json", "tsconfig.json", "tsconfig.build.json"].map((path) => newest(at(path)));
  return Math.max(...sources) > (statSync(at("dist/cli/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** The latest change of a file, or of anything in a folder, as epoch milliseconds. */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(`${path}/${name}`)));
}
