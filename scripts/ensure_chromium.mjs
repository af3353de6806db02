// The browser tests need a Chromium. Finds one, or installs Debian's where that is possible without asking anybody.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function find() {
  const given = process.env.CHROMIUM;
  if (given) {
    if (existsSync(given)) return given;
    console.error(`CHROMIUM names ${given}, which does not exist.`);
    process.exit(2);
  }
  const folders = (process.env.PATH ?? "").split(":").concat("/usr/bin", "/Applications/Google Chrome.app/Contents/MacOS");
  for (const name of [...NAMES, "Google Chrome"]) for (const folder of folders) if (existsSync(`${folder}/${name}`)) return `${folder}/${name}`;
  return undefined;
}

let found = find();
if (found === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
  console.error("No Chromium found; installing the system's package (about 30 s).");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-q"], { stdio: ["ignore", 2, 2], env });
  spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], { stdio: ["ignore", 2, 2], env });
  found = find();
}
if (found === undefined) {
  console.error(
    "The browser tests need a Chromium. Install one (Debian: apt-get install chromium; elsewhere Google Chrome), or set CHROMIUM to its program file.",
  );
  process.exit(2);
}
console.log(`Chromium: ${found}`);
