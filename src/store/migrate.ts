/** Brings a database to the shape that this program knows, one numbered step a transaction. */
import type { Database, Queryable } from "./database.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";

/** The key of the advisory lock under which the nodes of one PostgreSQL database migrate; any fixed number would do. */
const LOCK_KEY = 4_747_001;

/** The database was migrated by a newer program. This one would misread it, so it does not touch it. */
export class NewerSchema extends Error {
  override readonly name = "NewerSchema";
  readonly found: number;
  readonly known: number;

  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}; this program knows versions up to ${known}. ` +
        `Start the newer program, or restore a backup made before it ran.`,
    );
    this.found = found;
    this.known = known;
  }
}

/** @returns the number of the last step taken; 0 for an empty database. */
export async function schemaVersion(database: Pick<Database, "query" | "dialect">): Promise<number> {
  return readVersion(database, database.dialect);
}

/** The steps that {@link migrate} would take now. @throws NewerSchema */
export async function pendingMigrations(database: Database, migrations = MIGRATIONS): Promise<readonly Migration[]> {
  const version = await schemaVersion(database);
  refuseNewer(version, migrations);
  return migrations.filter((step) => step.version > version);
}

/**
 * Takes every step that is missing, in order. Two processes may do so at once: each step is looked up again under a
 * lock. A database that is up to date is only read.
 *
 * @returns the steps taken by this call.
 * @throws NewerSchema when the database knows a step that this program does not.
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<readonly Migration[]> {
  checkOrder(migrations);
  const taken: Migration[] = [];
  for (const step of await pendingMigrations(database, migrations)) {
    const took = await database.transaction((tx) => takeStep(tx, database.dialect, step, migrations));
    if (took) taken.push(step);
  }
  return taken;
}

async function takeStep(
  tx: Queryable,
  dialect: Database["dialect"],
  step: Migration,
  migrations: readonly Migration[],
): Promise<boolean> {
  if (dialect === "postgres") {
    // A step may take as long as it takes, and so may the wait for another node's step.
    await tx.query("SET LOCAL lock_timeout = 0");
    await tx.query("SET LOCAL statement_timeout = 0");
    await tx.query("SELECT pg_advisory_xact_lock($1)", [LOCK_KEY]);
  }
  const version = await readVersion(tx, dialect);
  refuseNewer(version, migrations);
  if (version >= step.version) return false;
  await tx.query(
    inDialect("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, name TEXT NOT NULL)", dialect),
  );
  for (const statement of step.statements) await tx.query(inDialect(statement, dialect));
  await tx.query("INSERT INTO schema_version (version, name) VALUES ($1, $2)", [step.version, step.name]);
  return true;
}

async function readVersion(q: Queryable, dialect: Database["dialect"]): Promise<number> {
  const tables =
    dialect === "sqlite"
      ? await q.query("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'")
      : // Not by to_regclass: its cached “no such table” outlives another node's commit for the rest of a transaction.
        await q.query(
          "SELECT 1 AS found FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'",
        );
  if (tables.length === 0) return 0;
  const [row] = await q.query<{ version: number | null }>("SELECT max(version) AS version FROM schema_version");
  return row?.version ?? 0;
}

function refuseNewer(version: number, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  if (version > known) throw new NewerSchema(version, known);
}

function checkOrder(migrations: readonly Migration[]): void {
  migrations.forEach((step, index) => {
    if (step.version !== index + 1)
      throw new Error(`Migration “${step.name}” has number ${step.version}; in its place belongs ${index + 1}.`);
  });
}

/** The dialects differ in three words of a table's definition; SQLite holds 64 bits in INTEGER and checks types only if STRICT. */
function inDialect(statement: string, dialect: Database["dialect"]): string {
  const [, verb] = /^\s*(CREATE|ALTER)\s+TABLE\b/i.exec(statement) ?? [];
  if (dialect === "postgres" || verb === undefined) return statement;
  const translated = statement.replace(/\bBIGINT\b/g, "INTEGER").replace(/\bBYTEA\b/g, "BLOB");
  return verb.toUpperCase() === "CREATE" ? `${translated.trimEnd()} STRICT` : translated;
}
