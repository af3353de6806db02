/** The server process: lock, listeners, engine, transports, tick, and an orderly end. */
import { getRequestListener, RequestError } from "@hono/node-server";
import type { HttpBindings } from "@hono/node-server";
import type { Config } from "../config.ts";
import { passkeysPossible } from "../config/public_url.ts";
import { createApp } from "../http/app.ts";
import { createMcpEndpoint } from "../mcp/serve.ts";
import { openCountersign, systemClock } from "../open.ts";
import type { OpenedCountersign } from "../open.ts";
import { bindAll } from "./bind.ts";
import type { Bound, Handler } from "./bind.ts";
import { prepareDataFolder, tightenDatabase } from "./data_folder.ts";
import { UsageError } from "./failure.ts";
import { newLeaving } from "./leaving.ts";
import { takeLock } from "./lock.ts";
import { detailOf } from "./log.ts";
import type { Log } from "./log.ts";
import { readServerFile, removeServerFile, writeServerFile } from "./server_file.ts";
import { startTicking } from "./tick.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly mcp: string;
  readonly engine: OpenedCountersign["engine"];
}

/** Long enough for a server that is just ending to let go. */
const LOCK_WAIT_MS = 2_000;
/** How long answers may take after the end was asked for; with the rest of the way the process is gone within 10 s. */
const ANSWER_MS = 4_000;
/** What is open after that (streams of events, idle connections) is closed; kept open longer only by a slow reader. */
const DRAIN_MS = 2_000;

/** Starts serving. Disposing of it answers waiting calls, stops, and gives everything back. @throws UsageError */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  await using stack = new AsyncDisposableStack();
  for (const told of [...prepareDataFolder(config.dataDir), ...tightenDatabase(config.database)])
    log.write("warn", "data_tightened", told);
  for (const warning of config.warnings) log.write("warn", "config", warning);

  const lock = takeLock(config.dataDir, LOCK_WAIT_MS);
  if (lock === undefined) throw new UsageError(heldBy(config.dataDir));
  stack.use(lock);

  // The port first: with port 0 the public URL, and so everything else, depends on it.
  const refuse: Handler = (_request, response) =>
    void response
      .writeHead(503, { "retry-after": "1", connection: "close" })
      .end("Countersign is starting or ending. Try again.\n");
  let handle = refuse;
  const bound = await bindAll(config.hosts, config.port, (request, response) => handle(request, response));
  stack.defer(() => drain(bound));
  for (const host of bound.missing)
    log.write("info", "family_missing", `This machine has no address ${host}; serving without it.`);

  const url = config.publicUrl ?? `http://localhost:${bound.port}`;
  const mcpUrl = `${url}/mcp`;
  warnOfPort(url, bound.port, log);
  const { engine } = stack.use(await openCountersign(config, { publicUrl: url }));
  const report = ({ id, where, error }: { id: string; where: string; error: unknown }): void =>
    log.write("error", "internal", `Something failed in ${where} (${id}).`, { id, where, detail: detailOf(error) });
  const leaving = newLeaving(systemClock);
  const mcp = createMcpEndpoint({
    authenticate: (token) => engine.authenticate(token),
    approvalsOf: (agent) => leaving.holding(engine.approvalsOf(agent)),
    onClosed: (listener) => engine.onClosed(listener),
    publicUrl: url,
    awaitMaxSeconds: config.awaitMaxSeconds,
    clock: systemClock,
    report,
  });
  stack.defer(() => mcp.close());
  const app = createApp({
    engine,
    mcp,
    publicUrl: url,
    port: bound.port,
    allowedOrigins: config.allowedOrigins,
    trustProxy: config.trustProxy,
    insecureHttp: config.insecureHttp,
    passkeys: passkeysPossible(url),
    proofWindowMs: config.proofWindowMs,
    report,
  });
  const listener = getRequestListener(
    (request, env) => app.fetch(request, { address: (env as HttpBindings).incoming.socket.remoteAddress ?? "" }),
    {
      errorHandler(error) {
        // A target or Host that makes no URL is the client's fault; left without an answer it would hold the connection.
        if (error instanceof RequestError) return new Response("This is not a request.\n", { status: 400 });
        report({ id: crypto.randomUUID(), where: "http", error });
        return new Response("Something failed here.\n", { status: 500 });
      },
    },
  );
  stack.defer(await startTicking(() => engine.tick(), systemClock, log));
  // Given back first: answers are written while everything that they need is still open.
  stack.defer(() => {
    handle = refuse;
    return leaving.leave(ANSWER_MS);
  });
  handle = (request, response) => {
    leaving.count(request, response);
    void listener(request, response).catch((error: unknown) =>
      report({ id: crypto.randomUUID(), where: "http", error }),
    );
  };

  try {
    writeServerFile(config.dataDir, { url, mcp: mcpUrl, pid: process.pid });
  } catch (error) {
    // On a full disk reads go on, also after a restart; only the look-up of the address is missing.
    log.write("warn", "server_file", `The address could not be written into ${config.dataDir}.`, {
      detail: detailOf(error),
    });
  }
  const all = stack.move();
  let ending: Promise<void> | undefined;
  return {
    url,
    mcp: mcpUrl,
    engine,
    [Symbol.asyncDispose]() {
      removeServerFile(config.dataDir);
      for (const server of bound.servers) server.close();
      ending ??= all.disposeAsync();
      return ending;
    },
  };
}

/** Waits for the answers that are on their way, then closes what is left. */
async function drain({ servers }: Bound): Promise<void> {
  const ended = Promise.all(
    servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))),
  );
  for (const server of servers) server.closeIdleConnections();
  const late = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), DRAIN_MS);
  await ended;
  clearTimeout(late);
}

function heldBy(dataDir: string): string {
  const other = readServerFile(dataDir);
  const who =
    other === undefined
      ? "another Countersign server"
      : `the Countersign server at ${other.url} (process ${other.pid})`;
  return `The data folder ${dataDir} is in use by ${who}. Stop it first, or choose another folder with --data.`;
}

/** Held loopback ports protect an http localhost origin only if they are that origin's. */
function warnOfPort(url: string, port: number, log: Log): void {
  const { protocol, port: written } = new URL(url);
  const publicPort = written === "" ? (protocol === "https:" ? 443 : 80) : Number(written);
  if (protocol !== "http:" || publicPort === port) return;
  log.write(
    "warn",
    "port_differs",
    `The public URL ${url} is not on the port that this server holds (${port}). Whoever holds port ${publicPort} on this machine is served under that origin.`,
  );
}
