/** Listening: several addresses, one port. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopbackAddress } from "../config/listen.ts";
import { UsageError } from "./failure.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Bound {
  readonly servers: readonly Server[];
  readonly port: number;
  /** Addresses of a family that this machine does not have. */
  readonly missing: readonly string[];
}

/** How often a free port is tried before giving up, when port 0 was asked for and its twin was taken. */
const TRIES = 20;
/** Above the idle time of common proxies (60 s), so that it is the proxy who closes first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Listens on every address with the same port; port 0 picks one that is free on all of them.
 *
 * @throws UsageError that names the address when one of them is held by another process or may not be used.
 */
export async function bindAll(hosts: readonly string[], port: number, handle: Handler): Promise<Bound> {
  for (let left = port === 0 ? TRIES : 1; ; left--) {
    const bound = await bindOnce(hosts, port, handle);
    if (!("held" in bound)) return bound;
    if (left <= 1) throw new UsageError(bound.held);
  }
}

async function bindOnce(hosts: readonly string[], wanted: number, handle: Handler): Promise<Bound | { held: string }> {
  const servers: Server[] = [];
  const missing: string[] = [];
  let port = wanted;
  for (const host of hosts) {
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
    const code = await listen(server, host, port);
    if (code === undefined) {
      servers.push(server);
      port = (server.address() as AddressInfo).port;
    } else if ((code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") && canBeMissing(host)) {
      missing.push(host);
    } else {
      await Promise.all(servers.map(closed));
      const held = problemOf(code, host, port);
      if (code !== "EADDRINUSE") throw new UsageError(held);
      return { held };
    }
  }
  if (servers.length === 0)
    throw new UsageError(
      `This machine has none of the addresses ${hosts.join(", ")}. Give one that it has with --host.`,
    );
  return { servers, port, missing };
}

/** @returns the error's code when listening failed. */
function listen(server: Server, host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    server.once("error", failed);
    // ipv6Only: without it `::` would take the IPv4 port too, and collide with our own listener there.
    server.listen({ host, port, ipv6Only: host.includes(":"), exclusive: true }, () => {
      server.off("error", failed);
      resolve(undefined);
    });
  });
}

/** A machine without one of the families is fine; an address that the operator named is not. */
function canBeMissing(host: string): boolean {
  return host === "::1" || host === "127.0.0.1" || host === "::" || host === "0.0.0.0";
}

function problemOf(code: string, host: string, port: number): string {
  const at = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE") {
    const why = isLoopbackAddress(host)
      ? " It would be served under the same origin as Countersign, and could catch passwords."
      : "";
    return `${at} is held by another process.${why} Stop that process, or choose another port with --port.`;
  }
  if (code === "EACCES") return `${at} may not be used by this account. Choose a port above 1023 with --port.`;
  return `Listening on ${at} failed (${code}). Check --host and --port.`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
