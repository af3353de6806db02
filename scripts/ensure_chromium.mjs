// The browser tests and the demo need a Chromium. Finds one, or installs Debian's where that is possible without asking.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findChromium } from "./find_chromium.mjs";

let found = findChromium();
if (found === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
  console.error("No Chromium found; installing the system's package (about 30 s).");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-q"], { stdio: ["ignore", 2, 2], env });
  spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], {
    stdio: ["ignore", 2, 2],
    env,
  });
  found = findChromium();
}
if (found === undefined) {
  console.error(
    "A Chromium is needed. Install one (Debian: apt-get install chromium; elsewhere Google Chrome), or set CHROMIUM to its program file.",
  );
  process.exit(2);
}
console.error(`Chromium: ${found}`);
