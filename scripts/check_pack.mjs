// The package as others get it: packed, installed into an empty folder, served, and its entry imported.
import "./check_node.mjs";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-pack-"));
const npm = (args, cwd) => execFileSync("npm", args, { cwd, stdio: ["ignore", 2, 2] });

try {
  npm(["pack", "--silent", "--pack-destination", folder], root);
  const [tarball] = readdirSync(folder);
  const app = join(folder, "app");
  execFileSync("mkdir", [app]);
  writeFileSync(
    join(app, "package.json"),
    JSON.stringify({ name: "app", version: "1.0.0", private: true, type: "module" }),
  );
  // The peer dependency comes along by itself: npm installs missing peers.
  npm(["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, tarball)], app);

  writeFileSync(
    join(app, "entry.js"),
    "import { openCountersign } from 'countersign/server';\nif (typeof openCountersign !== 'function') process.exit(1);\n",
  );
  execFileSync(process.execPath, ["entry.js"], { cwd: app, stdio: "inherit" });
  await serveOnce(app);
  console.log("The packed package installs, serves and can be imported.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function serveOnce(app) {
  const server = spawn(
    process.execPath,
    [join(app, "node_modules/countersign/dist/cli/main.js"), "serve", "--port", "0", "--data", join(app, "data")],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise((resolve) => server.on("exit", resolve));
  try {
    const line = await Promise.race([
      new Promise((resolve) => server.stdout.once("data", (part) => resolve(part.toString()))),
      ended,
    ]);
    if (typeof line !== "string") throw new Error(`serve ended with ${line}`);
    const { url } = JSON.parse(line);
    const health = await fetch(`${url}/healthz`);
    if (!health.ok) throw new Error(`/healthz answers ${health.status}`);
    // The sign-in page and its style sheet: the browser's files are in the package.
    const page = await (await fetch(`${url}/signin`)).text();
    const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    if (assets.length === 0) throw new Error("the sign-in page names no file of ours");
    for (const path of assets)
      if (!(await fetch(url + path)).ok) throw new Error(`${path} is missing from the package`);
  } finally {
    server.kill("SIGTERM");
  }
  if ((await ended) !== 0) throw new Error("serve did not end with 0");
}
