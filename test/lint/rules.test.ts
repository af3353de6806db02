import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

interface Planted {
  readonly what: string;
  readonly file: string;
  readonly source: string;
  /** The rule that must find it. */
  readonly rule: string;
}

const IMPORTS = "eslint(no-restricted-imports)";
const imports = (folder: string, from: string, what = `${folder}/ importing ${from}`): Planted => ({
  what,
  file: `src/${folder}/breach.ts`,
  source: `import { thing } from "${from}";\nexport const used = thing;\n`,
  rule: IMPORTS,
});

/** One breach for each floor and each rule of ARCHITECTURE.md's dependency rule. */
const BREACHES: readonly Planted[] = [
  imports("approval", "../engine/decide.ts", "the domain importing the engine"),
  imports("approval", "../store/database.ts", "the domain importing the store"),
  imports("approval", "node:fs", "the domain reading files"),
  imports("approval", "hono", "the domain importing a web framework"),
  {
    what: "the domain reading the clock",
    file: "src/approval/breach.ts",
    source: "export const at = Date.now();\n",
    rule: "eslint(no-restricted-properties)",
  },
  {
    what: "the domain using chance",
    file: "src/approval/breach.ts",
    source: "export const one = Math.random();\n",
    rule: "eslint(no-restricted-properties)",
  },
  {
    what: "the domain fetching",
    file: "src/approval/breach.ts",
    source: "export const answer = () => fetch('http://localhost');\n",
    rule: "eslint(no-restricted-globals)",
  },
  imports("config", "../store/open.ts"),
  imports("config", "node:os", "the configuration looking at the machine"),
  ...[
    "template/render.ts",
    "identity/password.ts",
    "page/layout.tsx",
    "engine/engine.ts",
    "mcp/wire.ts",
    "http/app.ts",
    "open.ts",
    "cli/main.ts",
  ].map((to) => imports("store", `../${to}`)),
  ...["store/database.ts", "identity/password.ts", "engine/engine.ts", "http/app.ts"].map((to) =>
    imports("template", `../${to}`),
  ),
  ...["store/database.ts", "page/layout.tsx", "engine/engine.ts", "http/app.ts"].map((to) =>
    imports("identity", `../${to}`),
  ),
  ...["store/database.ts", "identity/password.ts", "engine/decide.ts", "http/app.ts"].map((to) =>
    imports("page", `../${to}`),
  ),
  ...["store/database.ts", "engine/engine.ts", "http/app.ts"].flatMap((to) =>
    ["receipt", "resolvers", "client"].map((from) => imports(from, `../${to}`)),
  ),
  imports("receipt", "hono", "a library entry importing Hono"),
  imports("client", "node:sqlite", "a library entry importing a database driver"),
  ...["page/layout.tsx", "mcp/wire.ts", "http/app.ts", "open.ts", "cli/main.ts"].map((to) =>
    imports("engine", `../${to}`),
  ),
  imports("engine", "@modelcontextprotocol/server", "the engine knowing a transport"),
  ...["store/database.ts", "identity/password.ts", "engine/decide.ts", "http/app.ts", "open.ts", "cli/main.ts"].map(
    (to) => imports("mcp", `../${to}`),
  ),
  ...["engine/engine.ts", "store/database.ts", "http/app.ts"].map((to) => imports("mcp/tools", `../../${to}`)),
  ...["store/database.ts", "identity/password.ts", "engine/decide.ts", "mcp/wire.ts", "open.ts", "cli/main.ts"].map(
    (to) => imports("http", `../${to}`),
  ),
  { ...imports("", "./http/app.ts", "the composition root importing a transport"), file: "src/open.ts" },
  {
    what: "process.env outside cli/",
    file: "src/engine/breach.ts",
    source: "export const home = process.env['HOME'];\n",
    rule: "node(no-process-env)",
  },
  {
    what: "console outside cli/",
    file: "src/http/breach.ts",
    source: "console.log('hello');\n",
    rule: "eslint(no-console)",
  },
  {
    what: "a promise that nobody waits for",
    file: "src/engine/breach.ts",
    source: "async function write(): Promise<void> {}\nexport function go(): void {\n  write();\n}\n",
    rule: "typescript(no-floating-promises)",
  },
];

const CYCLE: readonly Omit<Planted, "what">[] = [
  {
    file: "src/engine/one.ts",
    source: 'import { two } from "./two.ts";\nexport const one = (): number => two();\n',
    rule: "import(no-cycle)",
  },
  {
    file: "src/engine/two.ts",
    source: 'import { one } from "./one.ts";\nexport const two = (): number => one();\n',
    rule: "import(no-cycle)",
  },
];

/** What the rule allows: the same kinds of line, one floor down. */
const ALLOWED: readonly (readonly [file: string, source: string])[] = [
  ["src/store/fine.ts", 'import { thing } from "../approval/id.ts";\nexport const used = thing;\n'],
  [
    "src/engine/fine.ts",
    'import { thing } from "../store/database.ts";\nimport { other } from "../identity/password.ts";\nexport const used = [thing, other];\n',
  ],
  ["src/mcp/fine.ts", 'import type { Agent } from "../engine/engine.ts";\nexport type Used = Agent;\n'],
  ["src/mcp/tools/fine.ts", 'import { thing } from "../wire.ts";\nexport const used = thing;\n'],
  [
    "src/http/fine.ts",
    'import type { Engine } from "../engine/engine.ts";\nimport { thing } from "../page/layout.tsx";\nexport const used = (engine: Engine): unknown => [engine, thing];\n',
  ],
  ["src/config/fine.ts", 'import { thing } from "./options.ts";\nexport const used = thing;\n'],
  [
    "src/cli/fine.ts",
    'import { thing } from "../open.ts";\nexport const used = [thing, process.env["HOME"]];\nconsole.log(used);\n',
  ],
];

const found = new Map<string, string[]>();
/** Breaches of one folder get names of their own, so that one run of the linter sees them all. */
const placeOf = (file: string, index: number): string => file.replace("breach.ts", `breach_${index}.ts`);

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-lint-"));
  try {
    for (const [index, { file, source }] of BREACHES.entries()) plant(folder, placeOf(file, index), source);
    for (const { file, source } of CYCLE) plant(folder, file, source);
    for (const [file, source] of ALLOWED) plant(folder, file, source);
    for (const name of [".oxlintrc.json", "tsconfig.json"]) copyFileSync(join(ROOT, name), join(folder, name));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const { filename, code } of await lint(folder)) found.set(filename, [...(found.get(filename) ?? []), code]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

function plant(folder: string, file: string, source: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
}

function lint(folder: string): Promise<readonly { code: string; filename: string }[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(ROOT, "node_modules/oxlint/bin/oxlint"), "--type-aware", "-f", "json", "src"],
      { cwd: folder },
      (_error, stdout, stderr) => {
        try {
          resolve((JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }).diagnostics);
        } catch {
          reject(new Error(`oxlint said: ${stdout}${stderr}`));
        }
      },
    );
  });
}

describe("the linter finds a planted breach:", () => {
  test.each(BREACHES.map((breach, index) => ({ ...breach, index })))("$what", ({ file, rule, index }) => {
    expect(found.get(placeOf(file, index))).toEqual([rule]);
  });

  test("a cycle of imports", () => {
    for (const { file, rule } of CYCLE) expect(found.get(file)).toContain(rule);
  });
});

test("the linter lets imports that go down the floors pass", () => {
  for (const [file] of ALLOWED) expect(found.get(file), file).toBeUndefined();
});
