/**
 * Sessions of connections before 2026-07-28, which is the only state an MCP client can make us keep.
 *
 * A session belongs to the agent that opened it: to anybody else, and after it ended, it does not exist. Sessions are
 * bounded in number and end when idle; nothing durable lives in them, so an agent that comes back opens another.
 */
import { WebStandardStreamableHTTPServerTransport, type AuthInfo } from "@modelcontextprotocol/server";
import type { Clock } from "../engine/clock.ts";
import type { BuiltServer } from "./server.ts";

/** A client that reconnects after less is served by its old session. Some never reconnect, so this is long. */
export const IDLE_MS = 24 * 60 * 60_000;
/** A session used within this time, or within the longest wait of a call, is not given up for a new one. */
export const BUSY_MS = 60_000;
const SWEEP_MS = 10 * 60_000;
const KEEP_ALIVE_MS = 10_000;

export interface HandleOptions {
  readonly authInfo: AuthInfo;
  readonly parsedBody?: unknown;
}

interface Session {
  readonly agentKey: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: BuiltServer;
  usedAt: number;
}

export interface SessionsOptions {
  readonly build: () => BuiltServer;
  readonly clock: Clock;
  readonly max: number;
  readonly maxPerAgent: number;
  /** The longest that one call may wait, in milliseconds: it may still be waiting in a session used so long ago. */
  readonly longestWaitMs: number;
}

export interface Sessions {
  /** Serves an `initialize`. @returns undefined when no more sessions can be kept now. */
  open(agentKey: string, request: Request, options: HandleOptions): Promise<Response | undefined>;
  /** Serves a request of an open session. @returns undefined when this agent has no such session. */
  handle(agentKey: string, sessionId: string, request: Request, options: HandleOptions): Promise<Response> | undefined;
  /** Tells the hosts that were offered this elicitation that it is over. */
  complete(elicitationId: string): void;
  readonly size: number;
  close(): Promise<void>;
}

export function newSessions({ build, clock, max, maxPerAgent, longestWaitMs }: SessionsOptions): Sessions {
  const busyMs = Math.max(BUSY_MS, longestWaitMs);
  /** In the order of last use: the first is the one to give up. */
  const sessions = new Map<string, Session>();
  let stopSweep: (() => void) | undefined;

  function end(id: string, session: Session): void {
    sessions.delete(id);
    session.server.mcp.close().catch(() => undefined);
  }

  function sweep(): void {
    stopSweep = undefined;
    for (const [id, session] of sessions) if (clock.now() - session.usedAt >= IDLE_MS) end(id, session);
    keepSweeping();
  }

  function keepSweeping(): void {
    if (sessions.size > 0) stopSweep ??= clock.timer(SWEEP_MS, sweep);
  }

  /** Makes room for one more. @returns false when every session that could go is in use. */
  function makeRoom(agentKey: string): boolean {
    const own = [...sessions].filter(([, session]) => session.agentKey === agentKey);
    if (own.length < maxPerAgent && sessions.size < max) return true;
    const oldest = own.length >= maxPerAgent ? own[0] : [...sessions][0];
    if (oldest === undefined || clock.now() - oldest[1].usedAt < busyMs) return false;
    end(...oldest);
    return true;
  }

  return {
    async open(agentKey, request, options) {
      if (!makeRoom(agentKey)) return undefined;
      const server = build();
      const id = crypto.randomUUID();
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        keepAliveMs: KEEP_ALIVE_MS,
      });
      // Counted before anything is awaited, so that many at once cannot pass the limit together.
      sessions.set(id, { agentKey, transport, server, usedAt: clock.now() });
      keepSweeping();
      await server.mcp.connect(transport);
      // After `connect`, which sets its own and keeps calling the one it found.
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        sessions.delete(id);
      };
      const response = await transport.handleRequest(request, options);
      if (transport.sessionId === undefined) await server.mcp.close();
      return response;
    },
    handle(agentKey, sessionId, request, options) {
      const session = sessions.get(sessionId);
      if (session === undefined || session.agentKey !== agentKey) return undefined;
      session.usedAt = clock.now();
      sessions.delete(sessionId);
      sessions.set(sessionId, session);
      return session.transport.handleRequest(request, options);
    },
    complete(elicitationId) {
      for (const session of sessions.values()) session.server.pushes.complete(elicitationId);
    },
    get size() {
      return sessions.size;
    },
    async close() {
      stopSweep?.();
      stopSweep = undefined;
      await Promise.allSettled([...sessions.values()].map((session) => session.server.mcp.close()));
      sessions.clear();
    },
  };
}
