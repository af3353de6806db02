// Where a Chromium is, for the tests, the demo and the screenshots. CHROMIUM names one; else the usual places.
import { existsSync } from "node:fs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "Google Chrome"];
const FOLDERS = ["/usr/bin", "/Applications/Google Chrome.app/Contents/MacOS"];

/** The program file, or undefined. Throws when CHROMIUM names a file that does not exist. */
export function findChromium() {
  const given = process.env.CHROMIUM;
  if (given) {
    if (!existsSync(given)) throw new Error(`CHROMIUM names ${given}, which does not exist.`);
    return given;
  }
  const folders = [...(process.env.PATH ?? "").split(":"), ...FOLDERS];
  return NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find((file) => existsSync(file));
}
