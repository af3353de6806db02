/** The whole HTTP side over a real engine, with or without sockets: the clock and the database are in the test's hand. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpEndpoint } from "../../src/mcp/serve.ts";
import { type App, createApp } from "../../src/http/app.ts";
import { DEFAULT_POLICY } from "../../src/approval/approval.ts";
import { DEFAULT_REQUEST_LIMITS } from "../../src/approval/request.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/open_engine.ts";
import { newPasswords } from "../../src/identity/password.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open.ts";
import { type ManualClock, manualClock } from "./clock.ts";

export const PASSWORD = "a good passphrase";

export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly engine: Engine;
  readonly db: Database;
  readonly clock: ManualClock;
  readonly origin: string;
  /** What was reported as our own fault; a test that ends with one here has found a bug. */
  readonly reports: { where: string; error: unknown }[];
  /** Sends a request to a path, or to a whole URL, with our own origin's headers unless told otherwise. */
  fetch(target: string, init?: RequestInit): Promise<Response>;
  /** Signs in by password, without a socket. @returns the cookie and the session's form token */
  signIn(name?: string, password?: string): Promise<{ cookie: string; csrf: string }>;
}

export interface TestAppOptions {
  readonly publicUrl?: string;
  readonly db?: Database;
  /** Also listens on a free port of both loopback addresses' name, which is then the public URL. */
  readonly listen?: boolean;
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const socket = options.listen ? await listen() : undefined;
  const origin = socket?.origin ?? options.publicUrl ?? "http://localhost:4747";
  const site = new URL(origin);
  const clock = manualClock();
  const db = options.db ?? (await openDatabase({ kind: "sqlite", path: ":memory:" }));
  const engine = await openEngine({
    db,
    clock,
    randomBytes: (length) => randomBytes(length),
    workspace: "default",
    publicUrl: origin,
    rpId: site.hostname,
    passkeys: true,
    proofWindowMs: 300_000,
    proofWindowApplies: site.protocol === "https:",
    limits: DEFAULT_REQUEST_LIMITS,
    awaitMaxSeconds: 55,
    policy: DEFAULT_POLICY,
    passwords: newPasswords({ ln: 4, r: 8, p: 1 }),
  });
  const reports: TestApp["reports"] = [];
  const report = ({ where, error }: { where: string; error: unknown }): void => void reports.push({ where, error });
  const mcp = createMcpEndpoint({
    authenticate: (token) => engine.authenticate(token),
    approvalsOf: (agent) => engine.approvalsOf(agent),
    onClosed: (listener) => engine.onClosed(listener),
    publicUrl: origin,
    awaitMaxSeconds: 55,
    clock,
    report,
  });
  const app = createApp({
    engine,
    mcp,
    publicUrl: origin,
    port: Number(site.port || 4747),
    allowedOrigins: [],
    trustProxy: false,
    insecureHttp: false,
    passkeys: true,
    clock,
    report,
  });

  socket?.serve((request, address) => app.fetch(request, { address }));

  async function send(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, origin);
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", url.host);
    return app.fetch(new Request(url, { ...init, headers, redirect: "manual" }), { address: "127.0.0.1" });
  }

  return {
    app,
    engine,
    db,
    clock,
    origin,
    reports,
    fetch: send,
    async signIn(name = "Anna", password = PASSWORD) {
      const response = await send("/signin", {
        method: "POST",
        headers: { origin },
        body: new URLSearchParams({ name, password }),
      });
      const cookie = response.headers.get("set-cookie")?.split(";")[0];
      if (cookie === undefined) throw new Error(`not signed in: ${response.status}`);
      const session = await engine.reviewing.session(cookie.slice(cookie.indexOf("=") + 1));
      return { cookie, csrf: session!.csrf };
    },
    async [Symbol.asyncDispose]() {
      await socket?.close();
      await mcp.close();
      await engine[Symbol.asyncDispose]();
      if (options.db === undefined) await db[Symbol.asyncDispose]();
    },
  };
}

/** A real listener whose application comes later, since its origin holds the port. */
async function listen(): Promise<{
  origin: string;
  serve(fetch: (request: Request, address: string) => Promise<Response>): void;
  close(): Promise<void>;
}> {
  let serve: (request: Request, address: string) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = createServer(
    getRequestListener((request, env) =>
      serve(request, (env as { incoming: { socket: { remoteAddress?: string } } }).incoming.socket.remoteAddress ?? ""),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    serve: (fetch) => (serve = fetch),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
