import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/store/migrations.ts";
import { readStatusFilter } from "../../src/approval/inputs.ts";
import { TOOLS } from "../../src/mcp/server.ts";

const STATUSES = ["pending", "submitted", "declined", "canceled", "expired", "consumed"];
const DECISIONS = ["submitted", "declined"];

/** The words of every CHECK on a column of this name, in every table. */
function wordsInDatabase(column: string): string[][] {
  const statements = MIGRATIONS.flatMap((migration) => migration.statements).join("\n");
  return [...statements.matchAll(new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)\\)`, "g"))].map(([, words = ""]) =>
    words.split(",").map((word) => word.trim().replaceAll("'", "")),
  );
}

/** Every enum that a tool promises for a member of this name, in its input or output. */
function wordsOfTools(member: string): string[][] {
  const found: string[][] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === member && Array.isArray(inner?.enum)) found.push(inner.enum);
      walk(inner);
    }
  };
  for (const tool of TOOLS) walk([tool.listed.inputSchema, tool.listed.outputSchema]);
  return found;
}

test("[BR 81] database, domain and tools know the same statuses and decisions by the same words", () => {
  for (const status of STATUSES) expect(readStatusFilter(status)).toBe(status);
  expect(wordsInDatabase("status")).toEqual([STATUSES]);
  for (const words of wordsInDatabase("decision")) expect(words).toEqual(DECISIONS);
  expect(wordsInDatabase("decision").length).toBeGreaterThanOrEqual(3);
  const statuses = wordsOfTools("status");
  expect(statuses.length).toBeGreaterThan(3);
  for (const words of statuses) for (const word of words) expect(STATUSES).toContain(word);
  for (const words of wordsOfTools("decision")) expect(words).toEqual(DECISIONS);
});
