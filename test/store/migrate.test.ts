import { describe, expect, it } from "vitest";
import { migrate, NewerSchema, pendingMigrations, schemaVersion } from "../../src/store/migrate.ts";
import { type Migration, MIGRATIONS } from "../../src/store/migrations.ts";
import { openDatabase } from "../../src/store/open.ts";
import { forEachDatabase } from "../support/databases.ts";

const ONE: Migration = {
  version: 1,
  name: "one",
  statements: [
    "CREATE TABLE ones (id TEXT PRIMARY KEY, at BIGINT NOT NULL)",
    "INSERT INTO ones (id, at) VALUES ('a', 1)",
  ],
};
const TWO: Migration = {
  version: 2,
  name: "two",
  statements: ["ALTER TABLE ones ADD COLUMN later BIGINT", "UPDATE ones SET later = at"],
};
const FAULTY: Migration = {
  version: 2,
  name: "faulty",
  statements: ["CREATE TABLE twos (id TEXT PRIMARY KEY)", "INSERT INTO nowhere (id) VALUES ('a')"],
};

forEachDatabase("migrating", (_open, { database: name, emptyPlace: place }) => {
  it("takes the steps from empty in order, and none the second time", async () => {
    const database = await (await place()).connect();
    expect(await schemaVersion(database)).toBe(0);
    expect(await pendingMigrations(database, [ONE, TWO])).toEqual([ONE, TWO]);
    expect(await migrate(database, [ONE, TWO])).toEqual([ONE, TWO]);
    expect(await schemaVersion(database)).toBe(2);
    expect(await migrate(database, [ONE, TWO])).toEqual([]);
    expect(await database.query("SELECT version, name FROM schema_version ORDER BY version")).toEqual([
      { version: 1, name: "one" },
      { version: 2, name: "two" },
    ]);
    expect(await database.query("SELECT id, at, later FROM ones")).toEqual([{ id: "a", at: 1, later: 1 }]);
  });

  it("takes the later step on a database of the earlier program", async () => {
    const database = await (await place()).connect();
    await migrate(database, [ONE]);
    expect(await migrate(database, [ONE, TWO])).toEqual([TWO]);
    expect(await database.query("SELECT later FROM ones")).toEqual([{ later: 1 }]);
  });

  it("keeps nothing of a step that fails half way, and the steps before it", async () => {
    const database = await (await place()).connect();
    await expect(migrate(database, [ONE, FAULTY])).rejects.toThrow(/nowhere/);
    expect(await schemaVersion(database)).toBe(1);
    await expect(database.query("SELECT id FROM twos")).rejects.toThrow(/twos/);
    expect(await migrate(database, [ONE, TWO])).toEqual([TWO]);
  });

  it("refuses a database of a newer program, names both versions and changes nothing", async () => {
    const database = await (await place()).connect();
    await migrate(database, [ONE, TWO]);
    await expect(migrate(database, [ONE])).rejects.toThrow(NewerSchema);
    await expect(migrate(database, [ONE])).rejects.toThrow(/version 2; this program knows versions up to 1/);
    await expect(pendingMigrations(database, [ONE])).rejects.toThrow(NewerSchema);
    expect(await schemaVersion(database)).toBe(2);
  });

  it("refuses steps that are not numbered one after the other", async () => {
    const database = await (await place()).connect();
    await expect(migrate(database, [TWO, ONE])).rejects.toThrow(/“two” has number 2; in its place belongs 1/);
    expect(await schemaVersion(database)).toBe(0);
  });

  it.skipIf(name === "SQLite in memory")(
    "takes each step once when four openings migrate at the same time",
    async () => {
      const there = await place();
      const all = await Promise.all([1, 2, 3, 4].map(() => there.connect()));
      const taken = await Promise.all(all.map((database) => migrate(database, [ONE, TWO])));
      expect(
        taken
          .flat()
          .map((step) => step.version)
          .sort(),
      ).toEqual([1, 2]);
      for (const database of all)
        expect(await database.query("SELECT id, later FROM ones")).toEqual([{ id: "a", later: 1 }]);
    },
  );

  it.skipIf(name === "SQLite in memory")("is done by opening, which also refuses a newer schema", async () => {
    const { spec, open } = await place();
    const database = await open();
    expect(await schemaVersion(database)).toBe(MIGRATIONS.length);
    await database.query("INSERT INTO schema_version (version, name) VALUES ($1, $2)", [
      MIGRATIONS.length + 1,
      "from the future",
    ]);
    await expect(openDatabase(spec)).rejects.toThrow(NewerSchema);
  });

  it.runIf(name.startsWith("SQLite"))("makes every table strict, so that a wrong type is refused", async () => {
    const database = await (await place()).open();
    const tables = await database.query<{ name: string; strict: number }>(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
    );
    expect(tables.length).toBeGreaterThan(15);
    expect(tables.filter((table) => table.strict !== 1)).toEqual([]);
    await expect(
      database.query("INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)", ["w", "W", "soon"]),
    ).rejects.toThrow(/INTEGER/);
  });
});

describe("the released steps", () => {
  it("are numbered from 1 and each have a name", () => {
    MIGRATIONS.forEach((step, index) =>
      expect(step).toMatchObject({ version: index + 1, name: expect.stringMatching(/\S/) }),
    );
  });
});
