/** What every database behind the seam does alike. Run over each by `database.test.ts`. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { type Database, DatabaseUnavailable, type SqlValue } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import type { Migration } from "../../src/store/migrations.ts";
import type { Databases } from "../support/databases.ts";

export const NOTES: readonly Migration[] = [
  {
    version: 1,
    name: "notes",
    statements: [
      `CREATE TABLE notes (
        id TEXT PRIMARY KEY,
        body TEXT,
        status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done')),
        n BIGINT NOT NULL DEFAULT 0,
        slug TEXT,
        bytes BYTEA
      )`,
      `CREATE UNIQUE INDEX notes_by_slug ON notes (slug) WHERE slug IS NOT NULL`,
    ],
  },
];

const TEXTS: readonly (readonly [string, string])[] = [
  ["empty text", ""],
  ["quotes and backslashes", `'"\\ \`;--$1 %s \\' ''`],
  ["emoji and combining marks", "👩‍👩‍👧‍👦 e\u0301 \u202eabc\u202c ﷽"],
  ["an escaped NUL in JSON", '{"a":"\\u0000"}'],
  [
    "every other control character",
    Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join("") + "\u007f\u0085\u2028\ufeff\uffff",
  ],
  ["line endings of three kinds", "a\r\nb\nc\rd\n"],
  ["JSON with many digits, key order and a duplicate", '{"b":1.0000000000000000001,"a":9007199254740993,"b":1e400}'],
  ["256 KiB", "é\"x'".repeat(256 * 205).slice(0, 256 * 1024)],
];

export function describeDatabase({ database: name, emptyPlace: place }: Databases): void {
  const queues = name === "SQLite in memory";

  async function open(): Promise<Database> {
    const database = await (await place()).connect();
    await migrate(database, NOTES);
    return database;
  }

  const insert = "INSERT INTO notes (id, body) VALUES ($1, $2)";
  const bodies = (database: Database): Promise<{ id: string }[]> =>
    database.query<{ id: string }>("SELECT id FROM notes ORDER BY id");

  it("keeps what a resolved transaction wrote and gives its result back", async () => {
    const database = await open();
    const result = await database.transaction(async (tx) => {
      await tx.query(insert, ["a", "one"]);
      await tx.query(insert, ["b", "two"]);
      return (await tx.query("SELECT id FROM notes")).length;
    });
    expect(result).toBe(2);
    expect(await bodies(database)).toEqual([{ id: "a" }, { id: "b" }]);
  });

  it("keeps nothing of a transaction that rejects, and the next one works", async () => {
    const database = await open();
    const fault = new Error("changed my mind");
    const failing = database.transaction(async (tx) => {
      await tx.query(insert, ["a", "one"]);
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    await database.transaction((tx) => tx.query(insert, ["b", "two"]));
    expect(await bodies(database)).toEqual([{ id: "b" }]);
  });

  it("keeps nothing of a transaction in which a statement failed, even if the body swallows the error", async () => {
    const database = await open();
    await database.query(insert, ["taken", "x"]);
    const swallowing = database.transaction(async (tx) => {
      await tx.query(insert, ["a", "one"]);
      await tx.query(insert, ["taken", "two"]).catch(() => undefined);
      return "kept";
    });
    const error: unknown = await swallowing.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(DatabaseUnavailable);
    expect(await bodies(database)).toEqual([{ id: "taken" }]);
  });

  it("keeps nothing of a transaction in which a parameter was refused, even if the body swallows the error", async () => {
    const database = await open();
    const swallowing = database.transaction(async (tx) => {
      await tx.query(insert, ["a", "one"]);
      await tx.query(insert, ["b"]).catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow("takes 2 parameters");
    expect(await bodies(database)).toEqual([]);
  });

  it("refuses a statement of a transaction that has ended", async () => {
    const database = await open();
    let late: (() => Promise<unknown>) | undefined;
    await database.transaction(async (tx) => {
      late = () => tx.query(insert, ["late", "x"]);
    });
    await expect(late!()).rejects.toThrow(/has ended/);
    expect(await bodies(database)).toEqual([]);
  });

  it("refuses a query or a transaction of the database inside a transaction's body, and frees what the body leaves behind", async () => {
    const database = await open();
    let open2 = (): void => undefined;
    const afterwards = new Promise<void>((resolve) => (open2 = resolve));
    let left: Promise<unknown> | undefined;
    await database.transaction(async () => {
      await expect(database.query("SELECT 1 AS one")).rejects.toThrow(/use the `tx`/);
      await expect(database.transaction(async () => undefined)).rejects.toThrow(/use the `tx`/);
      left = afterwards.then(() => database.query("SELECT 1 AS one"));
    });
    open2();
    expect(await left).toEqual([{ one: 1 }]);
  });

  it("never shows a query outside what a transaction has not committed", async () => {
    const database = await open();
    let inserted = (): void => undefined;
    const hasInserted = new Promise<void>((resolve) => (inserted = resolve));
    let finish: ((reason: Error) => void) | undefined;
    const fails = new Promise<never>((_resolve, reject) => (finish = reject));
    const writing = database.transaction(async (tx) => {
      await tx.query(insert, ["a", "one"]);
      inserted();
      await fails;
    });
    await hasInserted;
    const seen = bodies(database);
    // In memory there is one connection: there the query waits for its turn.
    if (!queues) expect(await seen).toEqual([]);
    finish!(new Error("rolled back"));
    await expect(writing).rejects.toThrow("rolled back");
    expect(await seen).toEqual([]);
  });

  it("lets exactly one of twenty conditional updates win", async () => {
    const database = await open();
    await database.query(insert, ["a", "one"]);
    const wins = await Promise.all(
      Array.from({ length: 20 }, (_, racer) =>
        database.transaction((tx) =>
          tx.query("UPDATE notes SET status = 'done', body = $2 WHERE id = $1 AND status = 'pending' RETURNING body", [
            "a",
            `racer ${racer}`,
          ]),
        ),
      ),
    );
    const winners = wins.flat();
    expect(winners).toHaveLength(1);
    expect(await database.query("SELECT body FROM notes WHERE id = $1", ["a"])).toEqual(winners);
  });

  it("loses no update of sixty at once", async () => {
    const database = await open();
    await database.query(insert, ["a", "one"]);
    await Promise.all(
      Array.from({ length: 60 }, () =>
        database.transaction((tx) => tx.query("UPDATE notes SET n = n + 1 WHERE id = $1", ["a"])),
      ),
    );
    expect(await database.query("SELECT n FROM notes")).toEqual([{ n: 60 }]);
  });

  it("gives rows back for what a statement changed, none for what it did not", async () => {
    const database = await open();
    const upsert =
      "INSERT INTO notes (id, body, slug) VALUES ($1, $2, $3) ON CONFLICT (slug) WHERE slug IS NOT NULL DO NOTHING RETURNING id";
    expect(await database.query(upsert, ["a", "one", "s"])).toEqual([{ id: "a" }]);
    expect(await database.query(upsert, ["b", "two", "s"])).toEqual([]);
    // Two rows without a slug are outside the partial index.
    expect(await database.query(upsert, ["c", "three", null])).toEqual([{ id: "c" }]);
    expect(await database.query(upsert, ["d", "four", null])).toEqual([{ id: "d" }]);
    expect(await database.query("DELETE FROM notes WHERE slug IS NULL RETURNING id")).toHaveLength(2);
    const update =
      "INSERT INTO notes (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = notes.n + excluded.n RETURNING n";
    expect(await database.query(update, ["z", 5])).toEqual([{ n: 5 }]);
    expect(await database.query(update, ["z", 6])).toEqual([{ n: 11 }]);
    expect(
      await database.query("WITH gone AS (SELECT id FROM notes WHERE id = $1) SELECT count(*) AS found FROM gone", [
        "z",
      ]),
    ).toEqual([{ found: 1 }]);
  });

  it("refuses a value outside a CHECK and a second row under one key, not as unavailable", async () => {
    const database = await open();
    await database.query(insert, ["a", "one"]);
    for (const statement of ["UPDATE notes SET status = 'odd' WHERE id = $1", "INSERT INTO notes (id) VALUES ($1)"]) {
      const error: unknown = await database.query(statement, ["a"]).catch((reason: unknown) => reason);
      expect(error, statement).toBeInstanceOf(Error);
      expect(error, statement).not.toBeInstanceOf(DatabaseUnavailable);
    }
  });

  it.each([0, 1, -1, 1_796_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    "gives the integer %d back as a number",
    async (n) => {
      const database = await open();
      await database.query("INSERT INTO notes (id, n) VALUES ($1, $2)", ["a", n]);
      expect(await database.query("SELECT n FROM notes WHERE n = $1", [n])).toEqual([{ n }]);
    },
  );

  it("gives counts, sums and truth back as numbers, and null as null", async () => {
    const database = await open();
    await database.query("INSERT INTO notes (id, n) VALUES ($1, $2), ($3, $4)", ["a", 40, "b", 2]);
    const [row] = await database.query(
      "SELECT count(*) AS count, sum(n) AS sum, max(n) = 40 AS yes, max(n) = 41 AS no, max(body) AS missing FROM notes",
    );
    expect({ ...row }).toStrictEqual({ count: 2, sum: 42, yes: 1, no: 0, missing: null });
  });

  it("keeps an integer an integer where it meets text", async () => {
    const database = await open();
    await database.query("INSERT INTO notes (id, body) VALUES ($1, CAST($2 AS BIGINT) || '')", ["a", 5]);
    expect(await database.query("SELECT body FROM notes")).toEqual([{ body: "5" }]);
  });

  it.each(TEXTS)(
    "[BR 103] gives %s back with the digest it was stored with, also after it is opened again",
    async (_, text) => {
      const there = await place();
      const digest = (value: string): string => createHash("sha256").update(value).digest("hex");
      const database = await there.connect();
      await migrate(database, NOTES);
      await database.query(insert, ["a", text]);
      const read = async (from: Database): Promise<string> =>
        (await from.query<{ body: string }>("SELECT body FROM notes"))[0]!.body;
      expect(digest(await read(database))).toBe(digest(text));
      if (queues) return;
      await database[Symbol.asyncDispose]();
      expect(digest(await read(await there.connect()))).toBe(digest(text));
    },
  );

  it("gives bytes back", async () => {
    const database = await open();
    const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
    await database.query("INSERT INTO notes (id, bytes) VALUES ($1, $2)", ["a", bytes]);
    const [row] = await database.query<{ bytes: Uint8Array }>("SELECT bytes FROM notes");
    expect([...row!.bytes]).toEqual([...bytes]);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ["undefined", undefined],
    ["a boolean", true],
    ["a Date", new Date(0)],
    ["a bigint", 1n],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["2^53", 2 ** 53],
    ["text with U+0000", "a\u0000b"],
    ["half a surrogate pair", "a\ud800"],
  ];
  it.each(refused)("refuses %s as a parameter and names it", async (_, value) => {
    const database = await open();
    await expect(database.query(insert, ["a", value as SqlValue])).rejects.toThrow(/^Parameter \$2 /);
    await expect(database.transaction((tx) => tx.query(insert, ["a", value as SqlValue]))).rejects.toThrow(
      /^Parameter \$2 /,
    );
    expect(await bodies(database)).toEqual([]);
  });

  it("binds by number: out of order and twice", async () => {
    const database = await open();
    await database.query("INSERT INTO notes (body, id, slug) VALUES ($2, $1, $2)", ["the id", "the body"]);
    expect(await database.query("SELECT id, body, slug FROM notes")).toEqual([
      { id: "the id", body: "the body", slug: "the body" },
    ]);
    const ten = "SELECT id FROM notes WHERE id IN ($10, $9, $8, $7, $6, $5, $4, $3, $2, $1)";
    expect(await database.query(ten, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "the id"])).toHaveLength(1);
  });

  it("refuses too few parameters, too many, and a gap in their numbers", async () => {
    const database = await open();
    await expect(database.query(insert, ["a"])).rejects.toThrow("takes 2 parameters and was given 1");
    await expect(database.query(insert, ["a", "b", "c"])).rejects.toThrow("takes 2 parameters and was given 3");
    await expect(database.query("SELECT id FROM notes WHERE id = $1 OR id = $3", ["a", "b", "c"])).rejects.toThrow(
      "not $2",
    );
  });

  it("runs transactions asked for before it is disposed of, and none after", async () => {
    const database = await open();
    const asked = Array.from({ length: 30 }, (_, n) =>
      database.transaction((tx) => tx.query(`${insert} RETURNING id`, [`${n}`, "x"])),
    );
    const closing = database[Symbol.asyncDispose]();
    expect((await Promise.all(asked)).flat()).toHaveLength(30);
    await closing;
    await database[Symbol.asyncDispose]();
    await expect(database.query("SELECT 1 AS one")).rejects.toThrow(DatabaseUnavailable);
    await expect(database.transaction(async () => undefined)).rejects.toThrow(DatabaseUnavailable);
  });
}
