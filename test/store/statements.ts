/** The statements of the store: as they stand in the source, and as they reach a database. */
import { readdirSync, readFileSync } from "node:fs";
import type { Database, Queryable, SqlValue } from "../../src/store/database.ts";

export interface Literal {
  readonly file: string;
  readonly line: number;
  /** What is fixed of it, with `…` for what is put in. */
  readonly text: string;
  /** Matches the statement that the literal becomes. */
  readonly pattern: RegExp;
}

const FOLDER = new URL("../../src/store/", import.meta.url);
/** How a database is opened and brought up to date. What the product asks afterwards stands in the other files. */
const DRIVERS = /^(sqlite|sqlite_connection|postgres|postgres_listener|migrate|migrations)\.ts$/;
const STARTS = /(?<=^|[^\\])(["'`])\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s/g;

/** Every SQL literal of `src/store/`, in the order of the files. */
export function storeLiterals(): Literal[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".ts") && !DRIVERS.test(file))
    .flatMap((file) => literalsIn(file, readFileSync(new URL(file, FOLDER), "utf8")));
}

export function literalsIn(file: string, source: string): Literal[] {
  return [...source.matchAll(STARTS)].map((found) => {
    const parts = partsOf(source, found.index);
    const pattern = new RegExp(`^${parts.map(escape).join("[^]*")}$`);
    return { file, line: source.slice(0, found.index).split("\n").length, text: parts.join("…"), pattern };
  });
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The fixed parts of the literal that opens at `start`; between two of them something is put in. */
function partsOf(source: string, start: number): string[] {
  const quote = source[start];
  const parts: string[] = [];
  let from = start + 1;
  let at = from;
  for (; at < source.length && source[at] !== quote; at += 1) {
    if (quote !== "`" || !source.startsWith("${", at)) continue;
    parts.push(source.slice(from, at));
    at = endOfHole(source, at + 2);
    from = at + 1;
  }
  return [...parts, source.slice(from, at)];
}

/** @returns where the `}` of a hole stands; the hole may hold templates with holes of their own. */
function endOfHole(source: string, start: number): number {
  for (let at = start, depth = 0; at < source.length; at += 1) {
    if (source[at] === "{") depth += 1;
    if (source[at] === "}" && depth-- === 0) return at;
  }
  throw new Error("a template has no end");
}

export interface RecordingDatabase extends Database {
  /** Each distinct statement, with the parameters of its first run. */
  readonly recorded: ReadonlyMap<string, readonly SqlValue[]>;
}

export function recording(db: Database): RecordingDatabase {
  const recorded = new Map<string, readonly SqlValue[]>();
  function noting(q: Queryable): Queryable["query"] {
    return (sql, params = []) => {
      if (!recorded.has(sql)) recorded.set(sql, params);
      return q.query(sql, params);
    };
  }
  const wrapped: RecordingDatabase = {
    recorded,
    dialect: db.dialect,
    query: noting(db),
    transaction: (body) => db.transaction((tx) => body({ query: noting(tx) })),
    clockOffsetMs: () => db.clockOffsetMs(),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  if (db.listen) wrapped.listen = db.listen.bind(db);
  if (db.notify) wrapped.notify = db.notify.bind(db);
  return wrapped;
}
