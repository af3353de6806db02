/** The data folder: who may look into it. Whoever can read it reads every payload; whoever can write it decides. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { UsageError } from "./failure.ts";

/** Files of ours by which a folder is known as a data folder. */
const OURS = ["countersign.db", "server.lock", "server.json"];
const OTHERS = 0o077;

/**
 * Makes the folder (0700) where it is missing, and takes other accounts' access away where there is some.
 *
 * A folder that holds other things than ours is never changed: `--data /tmp` must not close /tmp for everybody.
 *
 * @returns sentences about what was tightened. @throws UsageError when it cannot be made safe.
 */
export function prepareDataFolder(dir: string): string[] {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(`The data folder ${dir} cannot be made (${codeOf(error)}). Choose another with --data.`);
  }
  const stat = statSync(dir);
  if (!stat.isDirectory()) throw new UsageError(`${dir} is not a folder. Choose another with --data.`);
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && stat.uid !== own) {
    throw new UsageError(
      `The data folder ${dir} belongs to another account (uid ${stat.uid}), which could change every decision in it. Run as that account, or choose another folder with --data.`,
    );
  }
  const told: string[] = [];
  if (own !== undefined && (stat.mode & OTHERS) !== 0) {
    const entries = readdirSync(dir);
    if (entries.length > 0 && !entries.some((entry) => OURS.includes(entry))) {
      throw new UsageError(
        `The data folder ${dir} is open to other accounts (mode ${octal(stat.mode)}) and holds other things, so it is left as it is. Give Countersign a folder of its own with --data.`,
      );
    }
    chmodSync(dir, 0o700);
    told.push(`The data folder ${dir} was open to other accounts (mode ${octal(stat.mode)}); it is now 0700.`);
  }
  return told;
}

/** Takes other accounts' access away from the database's files. @returns sentences about what was tightened. */
export function tightenDatabase(database: Config["database"]): string[] {
  if (database.kind !== "sqlite" || process.getuid === undefined) return [];
  return looseFiles(database.path).map(({ path, mode }) => {
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      throw new UsageError(
        `${path} can be read by other accounts (mode ${mode}) and cannot be tightened (${codeOf(error)}). Run: chmod 600 ${path}`,
      );
    }
    return `${path} was open to other accounts (mode ${mode}); it is now 0600.`;
  });
}

/** The database's files that other accounts can reach. */
export function looseFiles(path: string): { readonly path: string; readonly mode: string }[] {
  return [path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    if (!existsSync(file)) return [];
    const { mode } = statSync(file);
    return (mode & OTHERS) === 0 ? [] : [{ path: file, mode: octal(mode) }];
  });
}

/** Refuses where no data was ever kept: a command that only reads must not make an empty store of a mistyped `--data`. */
export function requireData({ dataDir, database }: Config): void {
  if (database.kind !== "sqlite" || existsSync(database.path)) return;
  throw new UsageError(
    `There is no data at ${database.path}. Start the server first (countersign serve), or check --data (${dataDir}).`,
  );
}

export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
