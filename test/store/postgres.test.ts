import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { type Database, DatabaseUnavailable } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { newPostgresDatabase } from "../support/databases.ts";
import { NOTES } from "./contract.ts";

const INSERT = "INSERT INTO notes (id, body) VALUES ($1, $2)";
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(url: string, now?: () => number): Promise<Database> {
  const database = await openPostgres(url, now);
  closers.push(() => database[Symbol.asyncDispose]());
  return database;
}

async function openNotes(): Promise<{ database: Database; url: string }> {
  const url = await newPostgresDatabase();
  const database = await open(url);
  await migrate(database, NOTES);
  return { database, url };
}

/** Ends the server's side of every connection to this database but the one that asks. */
async function killOthers(killer: Database, only = "%"): Promise<number> {
  const killed = await killer.query(
    "SELECT pg_terminate_backend(pid) AS gone FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE $1",
    [only],
  );
  return killed.length;
}

/** A promise and its key. */
function gate(): { passed: Promise<void>; open: () => void } {
  let key = (): void => undefined;
  const passed = new Promise<void>((resolve) => (key = resolve));
  return { passed, open: key };
}

describe("a PostgreSQL connection that is lost", () => {
  it("in a transaction makes it unavailable, keeps nothing, and the next query works in the same process", async () => {
    const { database, url } = await openNotes();
    const killer = await open(url);
    const [inside, dead] = [gate(), gate()];
    let runs = 0;
    const writing = database.transaction(async (tx) => {
      runs += 1;
      await tx.query(INSERT, ["a", "one"]);
      inside.open();
      await dead.passed;
      await tx.query(INSERT, ["b", "two"]);
    });
    await inside.passed;
    expect(await killOthers(killer)).toBeGreaterThan(0);
    // The loss arrives while the client is checked out and asks nothing: nobody awaits the error then.
    await expect
      .poll(() =>
        killer.query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"),
      )
      .toEqual([]);
    dead.open();
    await expect(writing).rejects.toThrow(DatabaseUnavailable);
    expect(runs).toBe(1);
    expect(await database.query("SELECT id FROM notes")).toEqual([]);
    await database.transaction((tx) => tx.query(INSERT, ["c", "three"]));
    expect(await database.query("SELECT id FROM notes")).toEqual([{ id: "c" }]);
  });

  it("while idle does not end the process, and the pool recovers by itself", async () => {
    const { database, url } = await openNotes();
    await Promise.all(Array.from({ length: 10 }, () => database.query("SELECT pg_sleep(0.01)")));
    const killer = await open(url);
    expect(await killOthers(killer)).toBeGreaterThanOrEqual(10);
    await expect.poll(() => database.query("SELECT 1 AS one").catch((error: unknown) => error)).toEqual([{ one: 1 }]);
  });

  it("while COMMIT is answered is told as uncertain, and the body is not run again", async () => {
    const { database, url } = await openNotes();
    const proxy = await openProxy(url);
    const through = await open(proxy.url);
    let runs = 0;
    // With its end mark: BEGIN says “READ COMMITTED”.
    proxy.cutAfter("COMMIT\0");
    const writing = through.transaction(async (tx) => {
      runs += 1;
      await tx.query(INSERT, ["a", "one"]);
    });
    const error: unknown = await writing.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as Error).message).toMatch(/may or may not have been kept/);
    expect(runs).toBe(1);
    // This time it was: the proxy saw the server's answer and kept it to itself.
    expect(await database.query("SELECT id FROM notes")).toEqual([{ id: "a" }]);
    await through.query(INSERT, ["b", "two"]);
  });

  it("before it was ever there is unavailable", async () => {
    const url = new URL(await newPostgresDatabase());
    url.pathname = "/no_such_database";
    await expect(openPostgres(url.href)).rejects.toThrow(/no_such_database/);
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    url.port = String((probe.address() as AddressInfo).port);
    probe.close();
    await once(probe, "close");
    const error: unknown = await openPostgres(url.href).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as Error).message).toMatch(/ECONNREFUSED/);
  });
});

describe("a transaction on PostgreSQL", () => {
  it("is run again after a deadlock, and both that met are kept", async () => {
    const { database } = await openNotes();
    await database.query("INSERT INTO notes (id) VALUES ('a'), ('b')");
    const [first, second] = [gate(), gate()];
    let runs = 0;
    const cross = (mine: string, other: string, arrived: () => void, met: Promise<void>) =>
      database.transaction(async (tx) => {
        runs += 1;
        await tx.query("SET LOCAL deadlock_timeout = '20ms'");
        await tx.query("UPDATE notes SET n = n + 1 WHERE id = $1", [mine]);
        arrived();
        await met;
        await tx.query("UPDATE notes SET n = n + 1 WHERE id = $1", [other]);
      });
    await Promise.all([cross("a", "b", first.open, second.passed), cross("b", "a", second.open, first.passed)]);
    // Three, unless the two cross again; never without a second run of one of them.
    expect(runs).toBeGreaterThanOrEqual(3);
    expect(await database.query("SELECT id, n FROM notes ORDER BY id")).toEqual([
      { id: "a", n: 2 },
      { id: "b", n: 2 },
    ]);
  });

  it("is unavailable after five serialization failures", async () => {
    const { database } = await openNotes();
    let runs = 0;
    const failing = database.transaction(async (tx) => {
      runs += 1;
      await tx.query("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'");
    });
    await expect(failing).rejects.toThrow(DatabaseUnavailable);
    expect(runs).toBe(5);
  });

  it("is unavailable when a lock or a statement takes too long, and others go on", async () => {
    const { database } = await openNotes();
    await database.query("INSERT INTO notes (id) VALUES ('a')");
    const [held, release] = [gate(), gate()];
    const holder = database.transaction(async (tx) => {
      await tx.query("UPDATE notes SET n = 1 WHERE id = 'a'");
      held.open();
      await release.passed;
    });
    await held.passed;
    const waiting = database.transaction(async (tx) => {
      await tx.query("SET LOCAL lock_timeout = '20ms'");
      await tx.query("UPDATE notes SET n = 2 WHERE id = 'a'");
    });
    await expect(waiting).rejects.toThrow(/55P03/);
    release.open();
    await holder;
    const slow = database.transaction(async (tx) => {
      await tx.query("SET LOCAL statement_timeout = '20ms'");
      await tx.query("SELECT pg_sleep(5)");
    });
    await expect(slow).rejects.toThrow(/57014/);
    expect(await database.query("SELECT n FROM notes")).toEqual([{ n: 1 }]);
  });

  it("has its limits from the server: 5 s a statement, 3 s a lock, 10 s idle", async () => {
    const { database } = await openNotes();
    const settings = await database.query<{ setting: string }>(
      "SELECT setting FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name",
    );
    expect(settings.map((row) => row.setting)).toEqual(["10000", "3000", "5000"]);
  });

  it("waits its turn without giving up when hundreds are asked for at once, on at most ten connections", async () => {
    const { database } = await openNotes();
    await database.query("INSERT INTO notes (id) VALUES ('a')");
    const asked = Array.from({ length: 300 }, () =>
      database.transaction((tx) => tx.query("UPDATE notes SET n = n + 1 WHERE id = 'a'")),
    );
    await Promise.all(asked);
    const [row] = await database.query<{ n: number; connections: number }>(
      "SELECT n, (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign') AS connections FROM notes",
    );
    expect(row!.n).toBe(300);
    expect(row!.connections).toBeLessThanOrEqual(10);
  });
});

describe("the clock of PostgreSQL", () => {
  it("is known from the first query as the offset of the local one", async () => {
    const url = await newPostgresDatabase();
    const slow = await open(url, () => Date.now() - 3_600_000);
    expect(Math.abs(slow.clockOffsetMs() - 3_600_000)).toBeLessThan(1_000);
    const right = await open(url);
    expect(Math.abs(right.clockOffsetMs())).toBeLessThan(1_000);
  });
});

describe("listening on PostgreSQL", () => {
  async function heardBy(
    database: Database,
    channel: string,
  ): Promise<{ heard: string[]; listening: AsyncDisposable }> {
    const heard: string[] = [];
    return { heard, listening: await database.listen!(channel, (payload) => heard.push(payload)) };
  }
  const send = (database: Database, payload: string): Promise<void> =>
    database.transaction((tx) => database.notify!(tx, "closings", payload));

  it("hears on every node what was committed, never what was rolled back", async () => {
    const { database, url } = await openNotes();
    const other = await open(url);
    const [near, far] = [await heardBy(database, "closings"), await heardBy(other, "closings")];
    const failing = database.transaction(async (tx) => {
      await database.notify!(tx, "closings", "rolled back");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await send(database, "committed");
    await expect.poll(() => [near.heard, far.heard]).toEqual([["committed"], ["committed"]]);
  });

  it("comes back by itself after its connection was lost", async () => {
    const { database, url } = await openNotes();
    const killer = await open(url);
    const { heard } = await heardBy(database, "closings");
    expect(await killOthers(killer, "LISTEN%")).toBe(1);
    await expect.poll(async () => (await send(killer, "back"), heard.length), { timeout: 10_000 }).toBeGreaterThan(0);
    expect(new Set(heard)).toEqual(new Set(["back"]));
  });

  it("stops for the one that is disposed of and goes on for the other", async () => {
    const { database } = await openNotes();
    const [one, two] = [await heardBy(database, "closings"), await heardBy(database, "closings")];
    await one.listening[Symbol.asyncDispose]();
    await send(database, "x");
    await expect.poll(() => two.heard).toEqual(["x"]);
    expect(one.heard).toEqual([]);
  });

  it("is refused as unavailable where the server cannot be reached, and works once it can", async () => {
    const { url } = await openNotes();
    const proxy = await openProxy(url);
    const database = await open(proxy.url);
    proxy.refuse(true);
    await expect(heardBy(database, "closings")).rejects.toThrow(DatabaseUnavailable);
    proxy.refuse(false);
    const { heard } = await heardBy(database, "closings");
    await send(await open(url), "x");
    await expect.poll(() => heard).toEqual(["x"]);
  });
});

interface Proxy {
  readonly url: string;
  /** Cuts the connection that says `words`, after the server's answer and before the client hears it. */
  cutAfter(words: string): void;
  refuse(refusing: boolean): void;
}

/** A wire to the server that a test can cut. */
async function openProxy(url: string): Promise<Proxy> {
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  let words: string | undefined;
  let refusing = false;
  const server: Server = createServer((client) => {
    if (refusing) return void client.destroy();
    const upstream = connect(target, "127.0.0.1");
    let cut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => (client.destroy(), upstream.destroy()));
    }
    client.on("data", (chunk) => {
      cut ||= words !== undefined && chunk.includes(words);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!cut) return void client.write(chunk);
      words = undefined;
      client.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return { url: through.href, cutAfter: (said) => (words = said), refuse: (value) => (refusing = value) };
}
