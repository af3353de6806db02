/** The data under a running server is taken away: nothing more may be promised. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DatabaseUnavailable } from "../../src/store/database.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

test("a database whose file was deleted or replaced is not written on, is read on, and goes on once the file is back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-test-"));
  const path = join(folder, "countersign.db");
  await using database = await openSqlite(path);
  const write = (n: number) => database.transaction((tx) => tx.query("INSERT INTO t VALUES ($1)", [n]));
  await database.transaction((tx) => tx.query("CREATE TABLE t (n INTEGER)"));
  await write(1);

  await rename(path, `${path}.away`);
  await expect(write(2)).rejects.toThrow(DatabaseUnavailable);
  await writeFile(path, "");
  await expect(write(3)).rejects.toThrow("was deleted or replaced");
  expect(await database.query("SELECT n FROM t")).toEqual([{ n: 1 }]);

  await rename(`${path}.away`, path);
  await write(4);
  expect(await database.query("SELECT n FROM t")).toEqual([{ n: 1 }, { n: 4 }]);
  await rm(folder, { recursive: true });
  await expect(write(5)).rejects.toThrow(DatabaseUnavailable);
});
