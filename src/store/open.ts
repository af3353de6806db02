/** From the configuration to a database of the right shape. */
import type { Config } from "../config.ts";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

/**
 * Opens the database and takes the steps that its schema lacks.
 *
 * @throws DatabaseUnavailable when it cannot be reached or written.
 * @throws NewerSchema when a newer program has migrated it.
 */
export async function openDatabase(spec: Config["database"]): Promise<Database> {
  const database = await connectDatabase(spec);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the database as it is: for the commands that look at its schema before anything changes it. */
export async function connectDatabase(spec: Config["database"]): Promise<Database> {
  return spec.kind === "sqlite" ? openSqlite(spec.path) : openPostgres(spec.url);
}
