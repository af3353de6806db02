/** Every statement that the product runs is answered by an index, on both databases. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fillApprovals } from "../../bench/fill.ts";
import { insertAgent } from "../../src/store/agents.ts";
import type { Database, SqlValue } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open.ts";
import { forEachDatabase } from "../support/databases.ts";
import { literalsIn, recording, storeLiterals } from "./statements.ts";
import { walkEverything } from "./walk.ts";

/** Statements whose plan may do what others must not, each with its reason. */
const EXCEPTIONS: readonly {
  readonly sql: RegExp;
  readonly allows: "whole workspace" | "sorting";
  readonly because: string;
}[] = [
  {
    sql: /^SELECT id FROM people WHERE workspace = \$1 LIMIT 1$/,
    allows: "whole workspace",
    because: "it stops at the first row",
  },
  {
    sql: /NOT EXISTS \(SELECT 1 FROM people WHERE workspace = \$1\)/,
    allows: "whole workspace",
    because: "it stops at the first row",
  },
  {
    sql: /^SELECT p\.id FROM people p JOIN memberships m .* LIMIT 1$/s,
    allows: "whole workspace",
    because: "it stops at the first person who may decide",
  },
  {
    sql: /FROM people p WHERE p\.workspace = \$1 ORDER BY/,
    allows: "whole workspace",
    because: "it lists everybody, for the operator",
  },
  {
    sql: /FROM agents a LEFT JOIN people p .* WHERE a\.workspace = \$1 ORDER BY/s,
    allows: "whole workspace",
    because: "it lists all agents, for the operator",
  },
  {
    sql: /kind = 'passkey' AND rp_id = \$3 ORDER BY created_at, id$/,
    allows: "sorting",
    because: "a person has a handful of passkeys",
  },
  {
    sql: /FROM decisions\s+WHERE workspace = \$1 AND approval = \$2 ORDER BY at$/,
    allows: "sorting",
    because: "an approval has one row a person",
  },
];

interface Plan {
  /** Tables read from end to end, through an index or not. */
  readonly scans: readonly string[];
  /** Tables of which the workspace's rows are all read. */
  readonly wholeWorkspace: readonly string[];
  readonly sorts: boolean;
  readonly text: string;
}

function explain(db: Database, sql: string, params: readonly SqlValue[]): Promise<Plan> {
  return db.dialect === "sqlite" ? explainSqlite(db, sql, params) : explainPostgres(db, sql, params);
}

async function explainSqlite(db: Database, sql: string, params: readonly SqlValue[]): Promise<Plan> {
  const rows = await db.query(`EXPLAIN QUERY PLAN ${sql}`, params);
  const named = (line: string): boolean => {
    const [, table] = /^(?:SCAN|SEARCH) (\w+)/.exec(line) ?? [];
    // A table that the statement does not name is one that refers to its own: looked at only while a violation is counted, and ours are immediate.
    return table === undefined || new RegExp(`\\b${table}\\b`).test(sql);
  };
  const lines = rows.map((row) => String(row["detail"])).filter(named);
  // Constants, and the list of ids that `closedAmong` makes of its parameters, are no tables.
  return {
    scans: lines.filter((line) => line.startsWith("SCAN ") && !/^SCAN (\d* ?CONSTANT ROWS?|asked)$/.test(line)),
    wholeWorkspace: lines.filter((line) => line.startsWith("SEARCH ") && line.endsWith("(workspace=?)")),
    sorts: lines.some((line) => /^USE TEMP B-TREE FOR .*ORDER BY/.test(line)),
    text: lines.join("; "),
  };
}

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Node[];
}

/** Scans and sorts are made dear, so that one is chosen only where no index can serve: on small tables it would be the better way. */
async function explainPostgres(db: Database, sql: string, params: readonly SqlValue[]): Promise<Plan> {
  const rows = await db.transaction(async (tx) => {
    for (const kind of ["seqscan", "sort", "incremental_sort", "bitmapscan", "hashjoin", "mergejoin"])
      await tx.query(`SET LOCAL enable_${kind} = off`);
    return tx.query<{ "QUERY PLAN": readonly { Plan: Node }[] }>(`EXPLAIN (FORMAT JSON) ${sql}`, params);
  });
  const nodes = rows.flatMap((row) => row["QUERY PLAN"].flatMap((entry) => nodesOf(entry.Plan)));
  const reads = nodes.filter((node) => node["Relation Name"] !== undefined && node["Node Type"] !== "ModifyTable");
  const shown = (node: Node): string => `${node["Node Type"]} on ${node["Relation Name"]} ${node["Index Cond"] ?? ""}`;
  return {
    scans: reads.filter((node) => node["Index Cond"] === undefined).map(shown),
    wholeWorkspace: reads.filter((node) => /^\(\(?workspace = [^()]*\)?\)$/.test(node["Index Cond"] ?? "")).map(shown),
    sorts: nodes.some((node) => node["Node Type"].endsWith("Sort")),
    text: reads.map(shown).join("; "),
  };
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

forEachDatabase(
  "the plans",
  (open) => {
    test("every statement is answered by an index that leads to the rows it asks for", async () => {
      const db = recording(await open());
      await walkEverything(db);
      const statements = [...db.recorded].filter(([sql]) => !sql.startsWith("SELECT pg_notify"));
      expect(statements.length).toBeGreaterThan(50);
      await fill(db);

      const bad: string[] = [];
      const used = new Set<object>();
      for (const [sql, params] of statements) {
        const plan = await explain(db, sql, params);
        const excused = EXCEPTIONS.filter((exception) => exception.sql.test(sql));
        const may = (what: "whole workspace" | "sorting"): boolean => {
          const found = excused.find(({ allows }) => allows === what);
          if (found !== undefined) used.add(found);
          return found !== undefined;
        };
        if (plan.scans.length > 0) bad.push(`${sql}\n  reads a whole table: ${plan.text}`);
        if (plan.wholeWorkspace.length > 0 && !may("whole workspace"))
          bad.push(`${sql}\n  reads a whole workspace: ${plan.text}`);
        if (plan.sorts && !may("sorting")) bad.push(`${sql}\n  sorts: ${plan.text}`);
      }
      expect(bad).toEqual([]);
      expect(EXCEPTIONS.filter((exception) => !used.has(exception))).toEqual([]);
    }, 120_000);
  },
  ["SQLite in memory", "PostgreSQL"],
);

/** About 2,000 approvals, so that a plan over them is one that matters; on PostgreSQL, which counts, some hundreds of all the rest too. */
async function fill(db: Database): Promise<void> {
  const [agent] = await db.query<{ id: string; name: string }>("SELECT id, name FROM agents LIMIT 1");
  const [reviewer] = await db.query<{ id: string; name: string }>("SELECT id, name FROM people LIMIT 1");
  if (agent === undefined || reviewer === undefined) throw new Error("the walk left no agent or reviewer");
  const past = {
    workspace: "default",
    agents: [agent],
    reviewer,
    count: 2_000,
    until: Date.UTC(2026, 10, 30, 13),
    randomBytes,
  };
  if (db.dialect === "sqlite") return fillApprovals(db, past);

  // Written in memory and copied: statement by statement it would take half a minute.
  await using source = await openDatabase({ kind: "sqlite", path: ":memory:" });
  await insertAgent(source, {
    ...agent,
    workspace: "default",
    nameKey: agent.name,
    owner: null,
    createdAt: 0,
    createdBy: "test",
  });
  await fillApprovals(source, past);
  for (const table of ["approvals", "streams", "events", "decisions"]) await copyRows(source, db, table);
  for (const statement of CROWD) await db.query(statement);
  await db.query("ANALYZE");
}

async function copyRows(from: Database, to: Database, table: string): Promise<void> {
  const rows = await from.query(`SELECT * FROM ${table}`);
  const columns = Object.keys(rows[0] ?? {});
  for (let start = 0; start < rows.length; start += 200) {
    const values = rows.slice(start, start + 200).map((row) => columns.map((column) => row[column] ?? null));
    const places = values.map((row, r) => `(${row.map((_, c) => `$${r * columns.length + c + 1}`).join(", ")})`);
    await to.query(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${places.join(", ")}`, values.flat());
  }
}

const CROWD = [
  `INSERT INTO people (workspace, id, name, name_key, enrolled_at, enrolled_way) SELECT 'default', 'p' || n, 'P' || n, 'p' || n, n, 'cli' FROM generate_series(1, 500) n`,
  `INSERT INTO memberships (workspace, person, role, since) SELECT 'default', 'p' || n, 'reviewer', n FROM generate_series(1, 500) n`,
  `INSERT INTO credentials (workspace, id, person, kind, secret, created_at) SELECT 'default', 'c' || n, 'p' || n, 'password', 's', n FROM generate_series(1, 500) n`,
  `INSERT INTO sessions (workspace, hash, person, csrf, created_at, used_at, expires_at) SELECT 'default', 'h' || n, 'p' || n, 'c', n, n, 4000000000000 + n FROM generate_series(1, 500) n`,
  `INSERT INTO agents (workspace, id, name, name_key, created_at, created_by) SELECT 'default', 'a' || n, 'A' || n, 'a' || n, n, 'test' FROM generate_series(1, 500) n`,
  `INSERT INTO agent_tokens (workspace, hash, agent, created_at) SELECT 'default', 't' || n, 'a' || n, n FROM generate_series(1, 500) n`,
  `INSERT INTO challenges (workspace, id, purpose, challenge, created_at, expires_at) SELECT 'default', 'x' || n, 'sign_in', 'c', n, 4000000000000 + n FROM generate_series(1, 500) n`,
  `INSERT INTO one_time_codes (workspace, hash, purpose, created_at, created_by, expires_at) SELECT 'default', 'o' || n, 'invite', n, 'test', 4000000000000 + n FROM generate_series(1, 500) n`,
  `INSERT INTO intents (workspace, id, approval, person, session, decision, intent, created_at, expires_at)
   SELECT 'default', 'i' || row_number() OVER (), id, 'p' || row_number() OVER (), 's', 'submitted', '{}', 0, 4000000000000 FROM approvals LIMIT 500`,
  `INSERT INTO views (workspace, approval, person, at) SELECT 'default', id, 'p1', 0 FROM approvals`,
];

test("the walk runs every statement that stands in the store's source", async () => {
  const db = recording(await openDatabase({ kind: "sqlite", path: ":memory:" }));
  await walkEverything(db);
  const statements = [...db.recorded.keys()];
  await db[Symbol.asyncDispose]();

  const literals = storeLiterals();
  expect(literals.length).toBeGreaterThan(50);
  const missed = literals
    .filter(({ pattern }) => !statements.some((sql) => pattern.test(sql)))
    .map(({ file, line }) => `${file}:${line}`);
  expect(missed).toEqual([]);
  const foreign = statements.filter((sql) => !literals.some(({ pattern }) => pattern.test(sql)));
  expect(foreign).toEqual([]);
  // A literal that only another one's statement matches would go unnoticed above.
  expect(statements.length).toBe(literals.length);
});

test("no SQL stands outside the store", () => {
  const root = new URL("../../src/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith("store/"),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(
    files
      .flatMap((file) => literalsIn(file, readFileSync(new URL(file, root), "utf8")))
      .map(({ file, line }) => `${file}:${line}`),
  ).toEqual([]);
});
