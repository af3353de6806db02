import { expect, it } from "vitest";
import { forEachDatabase } from "../support/databases.ts";

forEachDatabase("an opened database", (open) => {
  it("holds the default workspace", async () => {
    const database = await open();
    expect(await database.query("SELECT id, created_at FROM workspaces")).toEqual([{ id: "default", created_at: 0 }]);
  });
});
