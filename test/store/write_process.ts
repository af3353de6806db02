/** A process of its own for the tests: `node write_process.ts FILE TIMES` adds 1 to a counter, a transaction each time. */
import { openSqlite } from "../../src/store/sqlite.ts";

const [path, times] = process.argv.slice(2);
try {
  await using database = await openSqlite(path!);
  for (let time = 0; time < Number(times); time += 1) {
    await database.transaction((tx) => tx.query("UPDATE notes SET n = n + 1 WHERE id = 'counter'"));
  }
  const [row] = await database.query("SELECT count(*) AS notes FROM notes");
  console.log(JSON.stringify({ ok: true, ...row }));
} catch (error) {
  console.log(JSON.stringify({ ok: false, name: (error as Error).name, message: (error as Error).message }));
}
