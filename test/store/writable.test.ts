import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/open.ts";
import { tryWriting } from "../../src/store/writable.ts";
import { forEachDatabase } from "../support/databases.ts";

forEachDatabase("trying to write", (open) => {
  test("leaves nothing behind, however many try at once", async () => {
    const db = await open();
    await Promise.all(Array.from({ length: 8 }, (_, n) => db.transaction((tx) => tryWriting(tx, "default", n))));
    expect(await db.query("SELECT id FROM outbox")).toEqual([]);
  });
});

test("trying to write reaches the disk each time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-test-"));
  const path = join(folder, "countersign.db");
  const db = await openDatabase({ kind: "sqlite", path });
  try {
    for (let n = 0; n < 3; n += 1) {
      const before = statSync(`${path}-wal`).size;
      await db.transaction((tx) => tryWriting(tx, "default", 0));
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(before);
    }
  } finally {
    await db[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
