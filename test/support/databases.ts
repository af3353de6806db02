/** The same tests on every database: SQLite in memory, SQLite in a file, and a real PostgreSQL. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, inject } from "vitest";
import type { Config } from "../../src/config.ts";
import type { Database } from "../../src/store/database.ts";
import { connectDatabase, openDatabase } from "../../src/store/open.ts";
import { MIGRATED } from "./postgres.ts";

export type DatabaseName = "SQLite in memory" | "SQLite file" | "PostgreSQL";
export const DATABASES: readonly DatabaseName[] = ["SQLite in memory", "SQLite file", "PostgreSQL"];

/** Where one database lies, so that a test can open it a second time (except in memory: there each opening is a new one). */
export interface Place {
  readonly spec: Config["database"];
  /** Opens it and brings it up to date. Closed after the last test of the block unless the test has done so. */
  open(): Promise<Database>;
  /** Opens it as it is; in an empty place, without tables. */
  connect(): Promise<Database>;
}

export interface Databases {
  readonly database: DatabaseName;
  /** A fresh place for one database. */
  place(): Promise<Place>;
  /** A fresh place that is sure to have no tables yet. */
  emptyPlace(): Promise<Place>;
}

/**
 * Runs `tests` in a describe block for each database. `open` gives a fresh, migrated one at each call; all are closed
 * and removed after the block.
 */
export function forEachDatabase(
  name: string,
  tests: (open: () => Promise<Database>, databases: Databases) => void,
  on: readonly DatabaseName[] = DATABASES,
): void {
  for (const database of on) {
    describe(`${name} (${database})`, () => {
      const opened: Database[] = [];
      const folders: string[] = [];

      async function keep(opening: Promise<Database>): Promise<Database> {
        const result = await opening;
        opened.push(result);
        return result;
      }

      async function newSpec(template: string): Promise<Config["database"]> {
        if (database === "SQLite in memory") return { kind: "sqlite", path: ":memory:" };
        if (database === "PostgreSQL") return { kind: "postgres", url: await newPostgresDatabase(template) };
        const folder = mkdtempSync(join(tmpdir(), "countersign-test-"));
        folders.push(folder);
        return { kind: "sqlite", path: join(folder, "countersign.db") };
      }

      async function newPlace(template: string): Promise<Place> {
        const spec = await newSpec(template);
        return { spec, open: () => keep(openDatabase(spec)), connect: () => keep(connectDatabase(spec)) };
      }

      afterAll(async () => {
        for (const each of opened) await each[Symbol.asyncDispose]();
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      });

      const place = (): Promise<Place> => newPlace(MIGRATED);
      tests(async () => (await place()).open(), { database, place, emptyPlace: () => newPlace("template1") });
    });
  }
}

/** The URL of the test run's PostgreSQL, started by the first call of the run. */
export async function postgresUrl(): Promise<string> {
  const response = await fetch(inject("postgresBell"));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Makes a database on the test run's PostgreSQL, empty unless it is a copy of {@link MIGRATED}. @returns its URL */
export async function newPostgresDatabase(template = "template1"): Promise<string> {
  const url = new URL(await postgresUrl());
  const name = `test_${randomBytes(8).toString("hex")}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}
