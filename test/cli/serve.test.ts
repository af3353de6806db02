import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildIfStale, scratch } from "./process.ts";

beforeAll(buildIfStale, 120_000);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("serve", () => {
  test("prints one JSON line when it is ready, answers on both loopback addresses, and ends with 0 on SIGTERM", async () => {
    using here = scratch();
    const server = await here.serve();
    const { port } = new URL(server.url);
    expect(JSON.parse(server.stdout())).toEqual({
      event: "ready",
      url: `http://localhost:${port}`,
      mcp: `http://localhost:${port}/mcp`,
    });
    for (const address of ["127.0.0.1", "[::1]", "localhost"]) {
      const response = await fetch(`http://${address}:${port}/healthz`, { redirect: "manual" });
      expect([200, 302, 307, 308], address).toContain(response.status);
    }
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });

  test("SIGINT ends it with 0 too", async () => {
    using here = scratch();
    expect((await (await here.serve()).stop("SIGINT")).code).toBe(0);
  });

  test("writes server.json, readable by nobody else, when ready, and removes it at the end", async () => {
    using here = scratch();
    const server = await here.serve();
    const path = join(here.data, "server.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ url: server.url, mcp: server.mcp, pid: server.child.pid });
    expect(modeOf(path)).toBe("600");
    expect(modeOf(here.data)).toBe("700");
    expect(modeOf(join(here.data, "countersign.db"))).toBe("600");
    await server.stop();
    expect(existsSync(path)).toBe(false);
  });

  test("logs JSON lines on stderr that say what is still missing", async () => {
    using here = scratch();
    const server = await here.serve();
    const { stderr } = await server.stop();
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; time: string });
    expect(lines.map((line) => line.event)).toEqual(
      expect.arrayContaining(["ready", "reviewer_missing", "agent_missing", "stopping"]),
    );
    for (const line of lines) expect(new Date(line.time).toISOString()).toBe(line.time);
  });

  test("alone and without a terminal, countersign serves as well", async () => {
    using here = scratch();
    const server = await here.serve(["--port", "0"], []);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toContain("countersign setup");
  });
});

describe("an address held by somebody else", () => {
  test.each([["127.0.0.1"], ["::1"]])(
    "a foreign listener on %s makes serve end with 2 and name the address",
    async (host) => {
      using here = scratch();
      const other = createServer().listen({ host, port: 0 });
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as AddressInfo;
      const { code, stderr, stdout } = await here.run(["serve", "--port", String(port)]);
      other.close();
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain(`${host.includes(":") ? `[${host}]` : host}:${port} is held by another process`);
      expect(existsSync(join(here.data, "server.json"))).toBe(false);
    },
  );

  test("--host does not leave a loopback address of a localhost origin to a stranger", async () => {
    using here = scratch();
    const other = createServer().listen({ host: "::1", port: 0 });
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await here.run(["serve", "--host", "127.0.0.1", "--port", String(port)]);
    other.close();
    expect(code).toBe(2);
    expect(stderr).toContain("[::1]");
  });
});

describe("the lock of the data folder", () => {
  test("a second server on the same folder ends with 2 and names the first", async () => {
    using here = scratch();
    const server = await here.serve();
    const { code, stderr } = await here.run(["serve", "--port", "0"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${server.url} (process ${server.child.pid})`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(existsSync(join(here.data, "server.json"))).toBe(true);
  });

  test("a server that was killed leaves no lock behind", async () => {
    using here = scratch();
    await (await here.serve()).stop("SIGKILL");
    expect(existsSync(join(here.data, "server.json"))).toBe(true);
    const again = await here.serve();
    expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    expect((await again.stop()).code).toBe(0);
  });
});

describe("a data folder that others can read", () => {
  test("is tightened when it is ours, and the log says so", async () => {
    using here = scratch();
    await (await here.serve()).stop();
    chmodSync(here.data, 0o755);
    chmodSync(join(here.data, "countersign.db"), 0o644);
    const { stderr } = await (await here.serve()).stop();
    expect(modeOf(here.data)).toBe("700");
    expect(modeOf(join(here.data, "countersign.db"))).toBe("600");
    expect(stderr).toContain("data_tightened");
  });

  test("is refused and left alone when it holds other things", async () => {
    using here = scratch();
    mkdirSync(here.data);
    chmodSync(here.data, 0o755);
    writeFileSync(join(here.data, "holiday.txt"), "");
    const { code, stderr } = await here.run(["serve", "--port", "0"]);
    expect(code).toBe(2);
    expect(stderr).toContain("a folder of its own");
    expect(modeOf(here.data)).toBe("755");
  });
});

describe("a wrong configuration", () => {
  test("every problem is told at once, with exit code 2, before anything is opened", async () => {
    using here = scratch();
    const { code, stdout, stderr } = await here.run(["serve", "--port", "70000", "--log-level", "loud"], {
      env: { COUNTERSIGN_PUBLIC_URL: "http://approve.example.com", COUNTERSIGN_HOTS: "::1" },
    });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    for (const said of ["--port", "--log-level", "COUNTERSIGN_PUBLIC_URL", "did you mean COUNTERSIGN_HOST?"])
      expect(stderr).toContain(said);
    expect(existsSync(here.data)).toBe(false);
  });

  test("[BR 28] a public URL that is not http or https ends serve with 2", async () => {
    using here = scratch();
    for (const url of ["javascript:alert(1)", "file:///"])
      expect((await here.run(["serve", "--public-url", url])).code).toBe(2);
  });

  test("[BR 177] behind an IP address the log explains that passkeys are off", async () => {
    using here = scratch();
    const { stderr } = await (await here.serve(["--port", "0", "--public-url", "https://192.0.2.7"])).stop();
    expect(stderr).toContain("Passkeys are off");
  });

  test("[BR 181] links follow the public URL, never the bind address or a Host header", async () => {
    using here = scratch();
    const server = await here.serve(["--port", "0", "--public-url", "https://approve.example.com"]);
    expect(server.url).toBe("https://approve.example.com");
    const { url } = await here.json<{ url: string }>(["setup"]);
    expect(new URL(url).origin).toBe("https://approve.example.com");
    await server.stop();
    const open = await here.serve(["--port", "0", "--host", "0.0.0.0"]);
    expect((await open.stop()).stderr).toContain("Set --public-url");
  });

  test("an unknown flag or command is refused and the nearest one named", async () => {
    using here = scratch();
    const flag = await here.run(["serve", "--prot", "1", "--template-scripts", "off"]);
    expect(flag.code).toBe(2);
    expect(flag.stderr).toContain("did you mean --port?");
    expect(flag.stderr).toContain("not_supported");
    expect((await here.run(["reviewr", "list"])).stderr).toContain("did you mean “reviewer”?");
    expect((await here.run(["reviewer", "lst"])).stderr).toContain("did you mean “reviewer list”?");
    expect((await here.run(["constructor"])).code).toBe(2);
  });
});
