import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { type Database, DatabaseUnavailable } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { networkFileSystem } from "../../src/store/sqlite_file.ts";
import { ordinaryUser } from "../support/postgres.ts";
import { NOTES } from "./contract.ts";

const PROCESS = join(import.meta.dirname, "write_process.ts");
const INSERT = "INSERT INTO notes (id, body) VALUES ($1, $2)";
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-test-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openNotes(path = join(newFolder(), "countersign.db"), busyMs?: number): Promise<Database> {
  const database = await openSqlite(path, busyMs);
  closers.push(() => database[Symbol.asyncDispose]());
  await migrate(database, NOTES);
  return database;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("an SQLite file", () => {
  it("is readable by its owner only, with its companions and the folder made for it", async () => {
    const folder = join(newFolder(), "made", "here");
    const path = join(folder, "countersign.db");
    const database = await openNotes(path);
    await database.query(INSERT, ["a", "one"]);
    expect([folder, path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(["700", "600", "600", "600"]);
  });

  it("loses the wider mode that a restored copy came with, and leaves the mode of a folder it did not make", async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const path = join(folder, "countersign.db");
    await (await openNotes(path))[Symbol.asyncDispose]();
    chmodSync(path, 0o644);
    await openNotes(path);
    expect([folder, path].map(modeOf)).toEqual(["755", "600"]);
  });

  it("is durable and careful: WAL, full sync, foreign keys, an untrusted schema, checked cells", async () => {
    const database = await openNotes();
    const settings = await database.transaction(async (tx) => {
      const values: unknown[] = [];
      for (const name of ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check"]) {
        values.push(Object.values((await tx.query(`PRAGMA ${name}`))[0]!)[0]);
      }
      return values;
    });
    expect(settings).toEqual(["wal", 2, 1, 0, 1]);
    expect(await database.query("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("leaves no companion behind when it is disposed of, and everything in the file", async () => {
    const path = join(newFolder(), "countersign.db");
    const database = await openNotes(path);
    await database.query(INSERT, ["a", "one"]);
    await database[Symbol.asyncDispose]();
    expect(() => statSync(`${path}-wal`)).toThrow(/ENOENT/);
    const raw = new DatabaseSync(path, { readOnly: true });
    closers.push(() => raw.close());
    expect(raw.prepare("SELECT body FROM notes").get()).toEqual({ body: "one" });
  });

  it("is refused when it is something else", async () => {
    const path = join(newFolder(), "countersign.db");
    writeFileSync(path, "this is a letter, not a database; ".repeat(40));
    await expect(openSqlite(path)).rejects.toThrow("is not an SQLite database");
  });

  it("is unavailable where its folder cannot be made", async () => {
    const file = join(newFolder(), "a file");
    writeFileSync(file, "");
    await expect(openSqlite(join(file, "countersign.db"))).rejects.toThrow(DatabaseUnavailable);
  });

  it("is unavailable when it is a folder", async () => {
    const path = join(newFolder(), "countersign.db");
    mkdirSync(path);
    await expect(openSqlite(path)).rejects.toThrow(DatabaseUnavailable);
  });

  it("is unavailable to an account that may only read it", async () => {
    const folder = newFolder();
    const path = join(folder, "countersign.db");
    await (await openNotes(path))[Symbol.asyncDispose]();
    chmodSync(path, 0o400);
    chmodSync(folder, 0o500);
    closers.push(() => chmodSync(folder, 0o700));
    const [command, ...args] = ordinaryUser([process.execPath, PROCESS, path, "1"]);
    const { stdout, stderr } = spawnSync(command!, args, { encoding: "utf8" });
    expect(stdout, stderr).toMatch(/^\{/);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, name: "DatabaseUnavailable" });
  });

  it.each([
    [0x6969, "NFS"],
    [0xff534d42 | 0, "CIFS"],
    [0xfe534d42, "SMB"],
  ])("[BR 188] is refused on a network file system (statfs type %i is %s)", (type, name) => {
    expect(networkFileSystem(type)).toBe(name);
  });

  it.each([0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630])(
    "[BR 188] is accepted on a local file system (statfs type %i)",
    (type) => {
      expect(networkFileSystem(type)).toBeUndefined();
    },
  );
});

describe("a full disk", () => {
  /** Each write of this test is well above a page, each limit well below the next write. */
  const LARGE = "x".repeat(64 * 1024);

  it("makes a write unavailable, keeps nothing of its transaction, lets reads go on, and is over when there is space", async () => {
    const database = await openNotes();
    await database.query(INSERT, ["before", "one"]);
    const [pages] = await database.query<{ page_count: number }>("PRAGMA page_count");
    await database.transaction((tx) => tx.query(`PRAGMA max_page_count = ${pages!.page_count + 2}`));

    const writing = database.transaction(async (tx) => {
      await tx.query(INSERT, ["small", "fits"]);
      await tx.query(INSERT, ["large", LARGE]);
    });
    await expect(writing).rejects.toThrow(DatabaseUnavailable);
    await expect(database.query(INSERT, ["large", LARGE])).rejects.toThrow(/the disk is full/);
    expect(await database.query("SELECT id FROM notes")).toEqual([{ id: "before" }]);

    await database.transaction((tx) => tx.query("PRAGMA max_page_count = 100000"));
    await database.query(INSERT, ["large", LARGE]);
    expect(await database.query("SELECT id FROM notes ORDER BY id")).toEqual([{ id: "before" }, { id: "large" }]);
  });

  it("does the same when the file system itself has no room left", async ({ skip }) => {
    const folder = newFolder();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "countersign-test", folder]);
    skip(mounted.status !== 0, "only root may mount");
    closers.push(() => spawnSync("umount", [folder]));
    const database = await openNotes(join(folder, "countersign.db"));
    await database.query(INSERT, ["before", "one"]);

    const written: string[] = [];
    let error: unknown;
    for (let n = 0; n < 40 && error === undefined; n += 1) {
      await database.query(INSERT, [`${n}`, LARGE]).then(
        () => written.push(`${n}`),
        (reason: unknown) => (error = reason),
      );
    }
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(await database.query("SELECT count(*) AS found FROM notes")).toEqual([{ found: written.length + 1 }]);
    await expect(database.transaction((tx) => tx.query(INSERT, ["again", LARGE]))).rejects.toThrow(DatabaseUnavailable);

    spawnSync("mount", ["-o", "remount,size=4m", folder]);
    await database.query(INSERT, ["after", LARGE]);
    expect(await database.query("SELECT count(*) AS found FROM notes")).toEqual([{ found: written.length + 2 }]);
    expect(await database.query("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });
});

describe("two processes on one SQLite file", () => {
  it("[BR 187] all four write, none fails and no write is lost", async () => {
    const path = join(newFolder(), "countersign.db");
    const database = await openNotes(path);
    await database.query("INSERT INTO notes (id) VALUES ('counter')");
    const run = promisify(execFile);
    const others = Promise.all([1, 2, 3].map(() => run(process.execPath, [PROCESS, path, "100"])));
    for (let time = 0; time < 100; time += 1) await database.query("UPDATE notes SET n = n + 1 WHERE id = 'counter'");
    expect((await others).map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual(
      Array(3).fill({ ok: true, notes: 1 }),
    );
    expect(await database.query("SELECT n FROM notes")).toEqual([{ n: 400 }]);
  });

  it("while another holds the lock, a write waits without stopping reads or the event loop", async () => {
    const path = join(newFolder(), "countersign.db");
    const database = await openNotes(path);
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    let written = false;
    const writing = database.query(INSERT, ["a", "one"]).then(() => (written = true));
    for (let turn = 0; turn < 50; turn += 1) {
      expect(await database.query("SELECT id FROM notes")).toEqual([]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(written).toBe(false);
    other.exec("COMMIT");
    await writing;
    expect(await database.query("SELECT id FROM notes")).toEqual([{ id: "a" }]);
  });

  it("a write is unavailable when the other keeps the lock, and the next one works", async () => {
    const path = join(newFolder(), "countersign.db");
    const database = await openNotes(path, 20);
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    await expect(database.query(INSERT, ["a", "one"])).rejects.toThrow(/another process holds its lock/);
    other.exec("ROLLBACK");
    await database.query(INSERT, ["b", "two"]);
    expect(await database.query("SELECT id FROM notes")).toEqual([{ id: "b" }]);
  });

  it("a transaction that failed lets go of the lock at once", async () => {
    const path = join(newFolder(), "countersign.db");
    const [one, two] = [await openNotes(path, 0), await openNotes(path, 0)];
    const failing = one.transaction(async (tx) => {
      await tx.query(INSERT, ["a", "one"]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await two.query(INSERT, ["b", "two"]);
    expect(await one.query("SELECT id FROM notes")).toEqual([{ id: "b" }]);
  });

  it("sees what the other has committed", async () => {
    const path = join(newFolder(), "countersign.db");
    const [one, two] = [await openNotes(path), await openNotes(path)];
    await one.query(INSERT, ["a", "one"]);
    expect(await two.query("SELECT id FROM notes")).toEqual([{ id: "a" }]);
    await two.query("UPDATE notes SET body = $2 WHERE id = $1", ["a", "two"]);
    expect(await one.query("SELECT body FROM notes")).toEqual([{ body: "two" }]);
  });
});

describe("transactions that wait at the same time", () => {
  it("share a commit, and one that fails takes nothing of the others along", async () => {
    const path = join(newFolder(), "countersign.db");
    const database = await openNotes(path);
    await database.query(INSERT, ["taken", "before"]);
    const pagesBefore = statSync(`${path}-wal`).size;
    const alone = database.query(INSERT, ["alone", "x"]);
    await alone;
    const oneCommit = statSync(`${path}-wal`).size - pagesBefore;

    const outcomes = await Promise.allSettled([
      database.query(INSERT, ["a", "x"]),
      database.transaction(async (tx) => {
        await tx.query(INSERT, ["half", "x"]);
        await tx.query(INSERT, ["taken", "again"]);
      }),
      database.query(INSERT, ["b", "x"]),
      database.transaction(async (tx) => {
        await tx.query(INSERT, ["thrown", "x"]);
        throw new Error("changed its mind");
      }),
      database.transaction((tx) => tx.query<{ id: string }>("SELECT id FROM notes ORDER BY id")),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(outcomes[3]).toMatchObject({ reason: { message: "changed its mind" } });
    const ids = [{ id: "a" }, { id: "alone" }, { id: "b" }, { id: "taken" }];
    expect(outcomes[4]).toMatchObject({ value: ids });
    expect(await database.query("SELECT id FROM notes ORDER BY id")).toEqual(ids);
    expect(statSync(`${path}-wal`).size - pagesBefore - oneCommit).toBe(oneCommit);
  });

  it("are all unavailable when the disk is full, nothing of any of them is kept, and later ones work", async () => {
    const database = await openNotes(join(newFolder(), "countersign.db"));
    const [pages] = await database.query<{ page_count: number }>("PRAGMA page_count");
    await database.transaction((tx) => tx.query(`PRAGMA max_page_count = ${pages!.page_count + 2}`));
    const large = "x".repeat(64 * 1024);
    const outcomes = await Promise.allSettled(
      ["a", "b", "c"].map((id) => database.query(INSERT, [id, id === "b" ? large : "x"])),
    );
    const kept = await database.query<{ id: string }>("SELECT id FROM notes ORDER BY id");
    expect(kept.map(({ id }) => id)).toEqual(["a", "b", "c"].filter((_, n) => outcomes[n]?.status === "fulfilled"));
    expect(outcomes[1]).toMatchObject({ status: "rejected", reason: expect.any(DatabaseUnavailable) });
    await database.transaction((tx) => tx.query("PRAGMA max_page_count = 100000"));
    await database.query(INSERT, ["later", "x"]);
    expect(await database.query("SELECT id FROM notes WHERE id = 'later'")).toEqual([{ id: "later" }]);
  });
});

describe("many statements", () => {
  it("are prepared afresh once there are more than are kept, and all still answer", async () => {
    const database = await openNotes();
    for (let n = 0; n < 600; n += 1) expect(await database.query(`SELECT ${n % 300} AS n`)).toEqual([{ n: n % 300 }]);
  });

  it("of many queued transactions leave turns to the event loop", async () => {
    const database = await openNotes();
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 100 }, (_, n) => database.query(INSERT, [`${n}`, "x"])));
    counting = false;
    // One between two commits; sixteen transactions share one at most.
    expect(turns).toBeGreaterThan(5);
  });
});
