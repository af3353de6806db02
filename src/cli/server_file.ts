/** `server.json` in the data folder: where the running server is. Written when it is ready, removed when it ends. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ServerAddress {
  /** The public URL, without a trailing slash. */
  readonly url: string;
  readonly mcp: string;
  readonly pid: number;
}

const pathOf = (dataDir: string): string => join(dataDir, "server.json");

/** Mode 0600. Written beside and renamed, so that a reader sees the whole of it or nothing. */
export function writeServerFile(dataDir: string, address: ServerAddress): void {
  const path = pathOf(dataDir);
  const temporary = `${path}.${address.pid}`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}

export function removeServerFile(dataDir: string): void {
  rmSync(pathOf(dataDir), { force: true });
}

/** What the last server wrote; after a crash it may be out of date. Undefined when there is none, or not one of ours. */
export function readServerFile(dataDir: string): ServerAddress | undefined {
  try {
    const read = JSON.parse(readFileSync(pathOf(dataDir), "utf8")) as Partial<ServerAddress>;
    if (typeof read.url !== "string" || typeof read.mcp !== "string" || typeof read.pid !== "number") return undefined;
    return { url: read.url, mcp: read.mcp, pid: read.pid };
  } catch {
    return undefined;
  }
}
