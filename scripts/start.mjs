// `npm start -- FLAGS`: builds what is stale, then serves in this very process, so that signals reach the server.
import "./check_node.mjs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// stdout belongs to the server's ready line.
const { status } = spawnSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url)), "--if-stale"], {
  stdio: ["ignore", 2, 2],
});
if (status !== 0) process.exit(status ?? 1);
process.argv.splice(2, 0, "serve");
await import(new URL("../dist/cli/main.js", import.meta.url).href);
