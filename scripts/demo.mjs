// `npm run demo [-- --auto]`: builds what is stale, makes sure of a browser for --auto, then runs the demo.
import "./check_node.mjs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { status } = spawnSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url)), "--if-stale"], {
  stdio: ["ignore", 2, 2],
});
if (status !== 0) process.exit(status ?? 1);
if (process.argv.includes("--auto")) await import("./ensure_chromium.mjs");
await import(new URL("../examples/demo/main.ts", import.meta.url).href);
