import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { BODY_LIMIT } from "../../src/http/body.ts";
import { readHost } from "../../src/http/guard.ts";
import { safeReturn } from "../../src/http/paths.ts";
import { STATUS } from "../../src/http/problem.ts";
import { ERROR_CODES } from "../../src/approval/errors.ts";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";

const ORIGIN = "http://localhost:4747";
let local: TestApp;
let hosted: TestApp;

beforeAll(async () => {
  local = await openTestApp();
  hosted = await openTestApp({ publicUrl: "https://approve.example.com" });
  for (const { engine } of [local, hosted])
    await engine.operating("olga").addReviewer({ name: "Anna", password: PASSWORD });
});
afterAll(async () => {
  expect([...local.reports, ...hosted.reports]).toEqual([]);
  await local[Symbol.asyncDispose]();
  await hosted[Symbol.asyncDispose]();
});

describe("hosts", () => {
  test.each([
    "evil.example",
    "evil.example:4747",
    "localhost:4748",
    "localhost",
    "localhost.evil.example:4747",
    "127.0.0.2:4747",
    "a b",
    "user@localhost:4747",
  ])("a page asked for at %s is 421 and names no such host [BR 181]", async (host) => {
    const response = await local.fetch("/", { headers: { host } });
    expect(response.status).toBe(421);
    expect(await response.text()).not.toContain("evil");
  });

  test.each(["127.0.0.1:4747", "[::1]:4747", "sub.localhost:4747"])(
    "a page at the other loopback name %s leads to the public URL",
    async (host) => {
      const response = await local.fetch("/review?elicitationId=x", { headers: { host } });
      expect([response.status, response.headers.get("location")]).toEqual([302, `${ORIGIN}/review?elicitationId=x`]);
      expect((await local.fetch("/signin", { method: "POST", headers: { host, origin: ORIGIN } })).status).toBe(421);
    },
  );

  test.each(["127.0.0.1:4747", "[::1]:4747", "localhost:4747", "sub.localhost:4747"])(
    "/mcp and the health checks answer at %s",
    async (host) => {
      expect((await local.fetch("/mcp", { method: "POST", headers: { host } })).status).toBe(401);
      expect((await local.fetch("/healthz", { headers: { host } })).status).toBe(200);
    },
  );

  test("a public host behind a proxy is known with and without its port [BR 180]", async () => {
    for (const host of ["approve.example.com", "approve.example.com:443", "APPROVE.example.com"]) {
      expect((await hosted.fetch("/signin", { headers: { host } })).status).toBe(200);
    }
    expect((await hosted.fetch("/signin", { headers: { host: "approve.example.com:8443" } })).status).toBe(421);
    expect(
      (await hosted.fetch("/signin", { headers: { host: "evil.example", "x-forwarded-host": "approve.example.com" } }))
        .status,
    ).toBe(421);
  });

  test("hosts are read strictly", () => {
    expect(readHost("[::1]:80", 1)).toEqual({ name: "[::1]", port: 80 });
    expect(readHost("Localhost", 7)).toEqual({ name: "localhost", port: 7 });
    for (const wrong of ["", "a/b", "a:b", "a:1:2", "[::1", "a@b", "a b"]) expect(readHost(wrong, 1)).toBeUndefined();
  });
});

describe("origins", () => {
  test.each([
    "http://evil.example",
    "null",
    "https://localhost:4747",
    "http://localhost:4748",
    "http://127.0.0.1:4747",
  ])("a request of a page at %s is refused, whatever it asks", async (origin) => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/signin"],
      ["POST", "/signin"],
      ["GET", "/assets/style.css"],
    ] as const) {
      expect((await local.fetch(path, { method, headers: { origin } })).status, `${method} ${path}`).toBe(403);
    }
  });

  test("a foreign origin is refused at /mcp before any token is looked at", async () => {
    expect((await local.fetch("/mcp", { method: "POST", headers: { origin: "http://evil.example" } })).status).toBe(
      403,
    );
    expect((await local.fetch("/mcp", { method: "POST", headers: { origin: "http://127.0.0.1:4747" } })).status).toBe(
      401,
    );
  });

  test("an origin that the operator allows may call /mcp from a browser, and nothing else", async () => {
    const app = createApp({
      engine: local.engine,
      mcp: { fetch: async () => Response.json({}) },
      publicUrl: ORIGIN,
      port: 4747,
      allowedOrigins: ["https://tool.example"],
      trustProxy: false,
      insecureHttp: false,
      passkeys: true,
      report: () => {},
    });
    const headers = { origin: "https://tool.example", host: "localhost:4747" };
    const ask = (path: string, method: string) =>
      app.fetch(new Request(ORIGIN + path, { method, headers }), { address: "127.0.0.1" });
    expect((await ask("/mcp", "OPTIONS")).headers.get("access-control-allow-origin")).toBe("https://tool.example");
    expect((await ask("/mcp", "POST")).headers.get("access-control-allow-origin")).toBe("https://tool.example");
    expect((await ask("/signin", "GET")).status).toBe(403);
  });

  test("a post without any sign of where it comes from is refused", async () => {
    expect((await local.fetch("/signin", { method: "POST", body: new URLSearchParams() })).status).toBe(403);
    expect(
      (
        await local.fetch("/signin", {
          method: "POST",
          headers: { "sec-fetch-site": "same-site" },
          body: new URLSearchParams(),
        })
      ).status,
    ).toBe(403);
    expect(
      (
        await local.fetch("/signin", {
          method: "POST",
          headers: { origin: ORIGIN, "sec-fetch-site": "cross-site" },
          body: new URLSearchParams(),
        })
      ).status,
    ).toBe(403);
  });

  test("a post with our origin goes on to its route [BR 180]", async () => {
    const response = await hosted.fetch("/signin", {
      method: "POST",
      headers: { origin: "https://approve.example.com" },
      body: new URLSearchParams({ name: "x", password: "y" }),
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("The name or the password is not right");
  });
});

describe("every response", () => {
  test.each(["/signin", "/nowhere", "/healthz", "/assets/page.js", "/"])(
    "%s carries the security headers",
    async (path) => {
      const { headers } = await local.fetch(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'.*form-action 'self'; base-uri 'none'; frame-ancestors 'none'/,
      );
      expect(headers.get("content-security-policy")).not.toMatch(/unsafe/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("strict-transport-security")).toBeNull();
    },
  );

  test("pages are not cached, versioned assets are for ever", async () => {
    expect((await local.fetch("/signin")).headers.get("cache-control")).toBe("no-store");
    const address = /\/assets\/style\.css\?v=[^"]+/.exec(await (await local.fetch("/signin")).text())![0];
    expect((await local.fetch(address)).headers.get("cache-control")).toContain("immutable");
    expect((await local.fetch("/assets/style.css?v=old")).headers.get("cache-control")).toBe("no-cache");
  });

  test("https adds HSTS and the __Host- cookie; localhost a cookie with the port in its name", async () => {
    expect((await hosted.fetch("/signin")).headers.get("strict-transport-security")).toContain("max-age");
    const post = (app: TestApp) =>
      app.fetch("/signin", {
        method: "POST",
        headers: { origin: app.origin },
        body: new URLSearchParams({ name: "Anna", password: PASSWORD }),
      });
    expect((await post(hosted)).headers.get("set-cookie")).toMatch(
      /^__Host-countersign=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/,
    );
    expect((await post(local)).headers.get("set-cookie")).toMatch(
      /^countersign_4747=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
  });

  test("no page names a foreign address", async () => {
    const html = await (await local.fetch("/signin")).text();
    expect(
      [...html.matchAll(/(?:src|href|action)="([^"]+)"/g)].every(
        ([, target]) => target!.startsWith("/") || target!.startsWith("#"),
      ),
    ).toBe(true);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/);
  });
});

describe("methods and bodies", () => {
  test("HEAD answers as GET does, without a body", async () => {
    const response = await local.fetch("/signin", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("a wrong method is 405 and says which ones there are", async () => {
    const response = await local.fetch("/setup", { method: "PUT" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });

  test.each(["/signin", "/setup", "/mcp"])(
    "a body over 1 MiB is 413 at %s, whether its length is announced or not",
    async (path) => {
      const body = "x".repeat(BODY_LIMIT + 1);
      const headers = { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" };
      expect(
        (
          await local.fetch(path, {
            method: "POST",
            headers: { ...headers, "content-length": String(body.length) },
            body,
          })
        ).status,
      ).toBe(413);
      const chunked = new ReadableStream({
        start(controller) {
          for (let at = 0; at < body.length; at += 65_536)
            controller.enqueue(new TextEncoder().encode(body.slice(at, at + 65_536)));
          controller.close();
        },
      });
      // Of a stranger's body for /mcp nothing is read: there its length is not known before the token is.
      expect((await local.fetch(path, { method: "POST", headers, body: chunked, duplex: "half" })).status).toBe(
        path === "/mcp" ? 401 : 413,
      );
    },
  );

  test("a form is not read as anything else, nor JSON", async () => {
    expect(
      (
        await local.fetch("/signin", {
          method: "POST",
          headers: { origin: ORIGIN, "content-type": "text/plain" },
          body: "name=Anna",
        })
      ).status,
    ).toBe(415);
    expect(
      (
        await local.fetch("/signin/passkey", {
          method: "POST",
          headers: { origin: ORIGIN, "content-type": "application/json" },
          body: "[]",
        })
      ).status,
    ).toBe(400);
  });
});

describe("the way back after signing in", () => {
  test.each([
    "//evil",
    "/\\evil",
    "/..//evil",
    "/%0d%0aSet-Cookie:x",
    "/\r\nx",
    "javascript:alert(1)",
    "https://evil.example/",
    "evil",
    "",
    "/%5cevil",
    "/./\\evil",
    "/signin",
  ])("%j leads to the inbox [BR 173]", async (target) => {
    expect(safeReturn(target, ORIGIN)).toBe("/");
    const response = await local.fetch("/signin", {
      method: "POST",
      headers: { origin: ORIGIN },
      body: new URLSearchParams({ name: "Anna", password: PASSWORD, returnTo: target }),
    });
    expect(response.headers.get("location")).toBe("/");
  });

  test("path, query and fragment of our own are kept [BR 171]", () => {
    expect(safeReturn("/review?elicitationId=x&a=%20b#part", ORIGIN)).toBe("/review?elicitationId=x&a=%20b#part");
  });
});

test("every error code has a status of its kind", () => {
  for (const code of ERROR_CODES) expect(STATUS[code], code).toBeGreaterThanOrEqual(400);
});
