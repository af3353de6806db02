import { DatabaseSync } from "node:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeProblem } from "../../src/cli/node_version.ts";
import { buildIfStale, scratch } from "./process.ts";
import type { Running } from "./process.ts";

beforeAll(buildIfStale, 120_000);

const PASSWORD = "correct horse battery staple";
const TOKEN = /^csk_[A-Za-z0-9_-]+$/;

async function connect(server: Running, token: string): Promise<Client> {
  const client = new Client({ name: "commands-test", version: "1" }, { capabilities: {} });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.mcp), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

async function ask(client: Client, message: string): Promise<string> {
  const { structuredContent } = await client.callTool({
    name: "elicit_approval",
    arguments: { message, context: { amount: 19.99 } },
  });
  return String((structuredContent as { elicitationId: string }).elicitationId);
}

/** The status of an MCP request with this token. */
async function knock(server: Running, token: string): Promise<number> {
  const response = await fetch(server.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "knock", version: "1" } },
    }),
  });
  await response.body?.cancel();
  return response.status;
}

describe("reviewer", () => {
  test("add, list and disable, with the password on stdin", async () => {
    using here = scratch();
    const added = await here.json(["reviewer", "add", "Anna", "--password-stdin"], { input: `${PASSWORD}\n` });
    expect(added).toMatchObject({ name: "Anna", enrolledWay: "cli", hasPassword: true, passkeys: 0, disabledAt: null });
    expect(JSON.stringify(added)).not.toContain(PASSWORD);
    expect((await here.run(["reviewer", "add", "anna", "--password-stdin"], { input: PASSWORD })).code).toBe(1);
    const { reviewers } = await here.json<{ reviewers: { name: string }[] }>(["reviewer", "list"]);
    expect(reviewers.map((reviewer) => reviewer.name)).toEqual(["Anna"]);
    expect(await here.json(["reviewer", "disable", "Anna"])).toMatchObject({
      name: "Anna",
      disabledAt: expect.any(String),
    });
    expect((await here.run(["reviewer", "disable", "Nobody"])).code).toBe(1);
    expect((await here.run(["reviewer", "list"])).stdout).toContain("disabled");
  });

  test("add without a terminal and without --password-stdin says how, exit code 2", async () => {
    using here = scratch();
    const { code, stderr } = await here.run(["reviewer", "add", "Anna"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--password-stdin");
    expect((await here.run(["reviewer", "add", "Anna", "--password-stdin"], { input: "" })).code).toBe(2);
    expect((await here.run(["reviewer", "add", "Anna", "--password-stdin"], { input: "short" })).code).toBe(1);
    expect((await here.run(["reviewer", "add", "--password-stdin"], { input: PASSWORD })).stderr).toContain(
      "NAME is missing",
    );
  });
});

describe("setup", () => {
  test("prints the one-time link on stdout and nowhere else, with the code in the fragment", async () => {
    using here = scratch();
    const server = await here.serve();
    const { code, stdout, stderr } = await here.run(["setup"]);
    expect(code).toBe(0);
    const link = new URL(stdout.trim());
    expect(link.origin).toBe(server.url);
    expect(link.pathname + link.search).toBe("/setup");
    const secret = link.hash.slice("#code=".length);
    expect(secret).toMatch(/^[0-9A-Z-]{13,}$/);
    expect(stderr).not.toContain(secret);
    const ended = await server.stop();
    expect(ended.stderr + ended.stdout).not.toContain(secret);
  });

  test("is refused with 1 once somebody is enrolled", async () => {
    using here = scratch();
    await here.json(["reviewer", "add", "Anna", "--password-stdin"], { input: PASSWORD });
    const { code, stdout, stderr } = await here.run(["setup", "--json"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "forbidden" } });
  });
});

describe("agent", () => {
  test("add prints name and token; rotating ends the old one; a revoked agent is refused at /mcp by the running server", async () => {
    using here = scratch();
    const server = await here.serve();
    const added = await here.json<{ name: string; token: string }>(["agent", "add", "builder"]);
    expect(Object.keys(added)).toEqual(["name", "token"]);
    expect(added.token).toMatch(TOKEN);
    expect(await knock(server, added.token)).toBe(200);

    const rotated = await here.json<{ token: string }>(["agent", "rotate", "builder"]);
    expect(await knock(server, added.token)).toBe(401);
    expect(await knock(server, rotated.token)).toBe(200);

    expect(await here.json(["agent", "revoke", "builder"])).toMatchObject({ name: "builder", revoked: true });
    expect(await knock(server, rotated.token)).toBe(401);
    const { agents } = await here.json<{
      agents: { name: string; revokedAt: string | null; lastUsedAt: string | null }[];
    }>(["agent", "list"]);
    expect(agents).toMatchObject([{ name: "builder", revokedAt: expect.any(String), lastUsedAt: expect.any(String) }]);

    const { stderr } = await server.stop();
    for (const token of [added.token, rotated.token]) expect(stderr).not.toContain(token);
  });

  test("--for prints exactly the lines to paste on stdout, with the running server's address", async () => {
    using here = scratch();
    const server = await here.serve();
    const paste = async (host: string) => (await here.run(["agent", "add", `for ${host}`, "--for", host])).stdout;
    expect(await paste("claude-code")).toMatch(
      new RegExp(
        `^claude mcp add --transport http --scope user countersign ${server.mcp} --header "Authorization: Bearer csk_\\S+"\n$`,
      ),
    );
    expect(await paste("codex")).toMatch(
      new RegExp(
        `^export COUNTERSIGN_TOKEN=csk_\\S+\ncodex mcp add countersign --url ${server.mcp} --bearer-token-env-var COUNTERSIGN_TOKEN\n$`,
      ),
    );
    const entry = { url: server.mcp, headers: { Authorization: expect.stringMatching(/^Bearer csk_/) } };
    expect(JSON.parse(await paste("cursor"))).toEqual({ mcpServers: { countersign: entry } });
    expect(JSON.parse(await paste("json"))).toEqual({ mcpServers: { countersign: { type: "http", ...entry } } });
    const [, vscode] = /^code --add-mcp '(.*)'\n$/.exec(await paste("vscode")) ?? [];
    expect(JSON.parse(vscode ?? "null")).toEqual({ name: "countersign", type: "http", ...entry });
    expect((await here.run(["agent", "add", "x", "--for", "emacs"])).code).toBe(2);
  });

  test("an owner who is not enrolled and a name that is taken are refused with 1", async () => {
    using here = scratch();
    await here.json(["agent", "add", "builder"]);
    expect((await here.run(["agent", "add", "builder"])).code).toBe(1);
    expect((await here.run(["agent", "add", "other", "--owner", "Nobody"])).code).toBe(1);
    expect((await here.run(["agent", "add", "other", "--expires-days", "soon"])).code).toBe(2);
    expect((await here.run(["agent", "revoke", "nobody"])).code).toBe(1);
  });
});

describe("list, show and cancel", () => {
  test("see the whole workspace beside the running server, and a cancel wakes the agent that waits", async () => {
    using here = scratch();
    const server = await here.serve();
    const { token } = await here.json<{ token: string }>(["agent", "add", "builder"]);
    const client = await connect(server, token);
    const first = await ask(client, "Pay invoice 17");
    const second = await ask(client, "Deploy\u202e to production");

    const { elicitations } = await here.json<{ elicitations: { elicitationId: string; status: string }[] }>([
      "list",
      "--status",
      "pending",
    ]);
    expect(elicitations.map((item) => item.elicitationId)).toEqual([second, first]);
    const page = await here.json<{ elicitations: unknown[]; nextCursor: string }>(["list", "--limit", "1"]);
    expect(page.elicitations).toHaveLength(1);
    expect(
      (await here.json<{ elicitations: { elicitationId: string }[] }>(["list", "--cursor", page.nextCursor]))
        .elicitations[0]?.elicitationId,
    ).toBe(first);

    expect(await here.json(["show", first])).toMatchObject({
      elicitationId: first,
      contextText: '{"amount":19.99}',
      requester: { agent: { name: "builder" } },
      events: [{ type: "created" }],
    });
    const shown = await here.run(["show", second]);
    expect(shown.stdout).toContain("Deploy\\u{202e} to production");

    const waiting = client.callTool({ name: "elicit_await", arguments: { elicitationId: first, waitSeconds: 20 } });
    expect(await here.json(["cancel", first, "--reason", "not today"])).toMatchObject({
      outcome: "canceled",
      status: "canceled",
    });
    expect((await waiting).structuredContent).toMatchObject({ status: "canceled" });
    expect(await here.json(["show", first])).toMatchObject({ closedBy: { name: expect.any(String) } });

    expect((await here.run(["show", "nothing"])).code).toBe(1);
    expect((await here.run(["cancel", "nothing"])).code).toBe(1);
    expect((await here.run(["list", "--status", "open"])).code).toBe(2);
    await client.close();
  });

  test("on a mistyped data folder they say so and make nothing", async () => {
    using here = scratch();
    for (const args of [
      ["list"],
      ["show", "x"],
      ["cancel", "x"],
      ["reviewer", "list"],
      ["agent", "list"],
      ["agent", "revoke", "x"],
    ]) {
      const { code, stderr } = await here.run(args);
      expect(code, args.join(" ")).toBe(2);
      expect(stderr).toContain("There is no data");
    }
    expect(existsSync(here.data)).toBe(false);
  });
});

describe("an orderly end", () => {
  test("a waiting elicit_await is answered pending, and the process ends with 0 within 10 s", async () => {
    using here = scratch();
    const server = await here.serve();
    const { token } = await here.json<{ token: string }>(["agent", "add", "builder"]);
    const client = await connect(server, token);
    const elicitationId = await ask(client, "Pay invoice 17");
    const waiting = client.callTool({ name: "elicit_await", arguments: { elicitationId, waitSeconds: 50 } });
    // One round trip later the wait has arrived at the server.
    await client.callTool({ name: "elicit_status", arguments: { elicitationId } });
    const asked = performance.now();
    const ended = server.stop();
    expect((await waiting).structuredContent).toMatchObject({ status: "pending" });
    expect((await ended).code).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    await client.close().catch(() => undefined);
  });
});

describe("doctor", () => {
  test("finds a running server with a reviewer and an agent healthy", async () => {
    using here = scratch();
    await here.json(["reviewer", "add", "Anna", "--password-stdin"], { input: PASSWORD });
    await here.json(["agent", "add", "builder", "--owner", "Anna"]);
    const server = await here.serve();
    const { healthy, findings } = await here.json<{
      healthy: boolean;
      findings: { check: string; verdict: string; message: string }[];
    }>(["doctor"]);
    expect(healthy).toBe(true);
    for (const check of [
      "node",
      "data folder",
      "database",
      "reviewers",
      "agents",
      "server",
      "passkeys",
      "public URL",
    ]) {
      expect(findings.find((finding) => finding.check === check)?.verdict, check).toBe("ok");
    }
    expect(findings.find((finding) => finding.check === "server")?.message).toContain(server.mcp);
  });

  test("exits 1 for a held port and an open folder, and mends nothing", async () => {
    using here = scratch();
    await here.json(["migrate"]);
    writeFileSync(join(here.data, "countersign.db-wal"), "", { mode: 0o644 });
    const other = createServer().listen({ host: "::1", port: 0 });
    await new Promise((resolve) => other.once("listening", resolve));
    const { code, stdout } = await here.run(["doctor", "--port", String((other.address() as AddressInfo).port)]);
    other.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}server: .*\[::1\]:\d+ is held/);
    expect(stdout).toMatch(/warn {2}reviewers/);
  });

  test("looks at a data folder that does not exist without making it", async () => {
    using here = scratch();
    expect((await here.run(["doctor", "--port", "0"])).code).toBe(0);
    expect(existsSync(here.data)).toBe(false);
  });
});

describe("migrate", () => {
  test("takes the missing steps once, and refuses a database of a newer program", async () => {
    using here = scratch();
    const first = await here.json<{ from: number; to: number; steps: unknown[] }>(["migrate"]);
    expect(first.from).toBe(0);
    expect(first.steps).toHaveLength(first.to);
    expect(await here.json(["migrate"])).toEqual({ from: first.to, to: first.to, steps: [] });
    const database = new DatabaseSync(join(here.data, "countersign.db"));
    database.exec("INSERT INTO schema_version (version, name) VALUES (9999, 'from the future')");
    database.close();
    for (const args of [["migrate"], ["list"], ["serve", "--port", "0"]]) {
      const { code, stderr } = await here.run(args);
      expect(code, args.join(" ")).toBe(1);
      expect(stderr).toContain("9999");
    }
  });
});

describe("help", () => {
  test.each([
    [],
    ["serve"],
    ["setup"],
    ["reviewer"],
    ["reviewer", "add"],
    ["reviewer", "list"],
    ["reviewer", "disable"],
    ["agent"],
    ["agent", "add"],
    ["agent", "rotate"],
    ["list"],
    ["show"],
    ["cancel"],
    ["doctor"],
    ["migrate"],
  ])("countersign %s %s --help explains itself without colour codes in a pipe", async (...words) => {
    using here = scratch();
    const { code, stdout } = await here.run([...words, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("USAGE");
    expect(stdout).not.toContain("\u001b");
    if (words.length > 0 && !["reviewer", "agent"].includes(words.at(-1) ?? ""))
      for (const flag of ["--data", "--database", "--json"]) expect(stdout).toContain(flag);
  });

  test("an older Node is told which one is needed", () => {
    for (const version of ["20.20.2", "22.12.0", "24.14.1"])
      expect(nodeProblem(version)).toContain(`this is ${version}`);
    for (const version of ["24.15.0", "24.21.0", "26.0.0"]) expect(nodeProblem(version)).toBeUndefined();
  });
});
