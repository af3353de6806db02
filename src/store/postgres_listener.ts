/**
 * One connection that listens, for all channels of a database. It comes back by itself after a loss; what was sent
 * meanwhile is not delivered, so a message is only ever a hint to look.
 */
import type pg from "pg";
import { DatabaseUnavailable } from "./database.ts";

const RETRY_FIRST_MS = 100;
const RETRY_LAST_MS = 5_000;

export interface Listener {
  /** @throws DatabaseUnavailable when the server cannot be reached now; later losses are mended in silence. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<AsyncDisposable>;
  close(): Promise<void>;
}

/** @param newClient makes an unconnected client. Nothing is connected before the first `listen`. */
export function openListener(newClient: () => pg.Client): Listener {
  const channels = new Map<string, Set<(payload: string) => void>>();
  let client: Promise<pg.Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  async function connect(): Promise<pg.Client> {
    const fresh = newClient();
    let lost = false;
    const onLoss = (): void => {
      // `error` and `end` both come; the first one counts.
      if (lost) return;
      lost = true;
      client = undefined;
      void fresh.end().catch(() => undefined);
      reconnectIn(RETRY_FIRST_MS);
    };
    fresh.on("error", () => undefined);
    fresh.on("notification", ({ channel, payload }) => {
      for (const onMessage of channels.get(channel) ?? []) onMessage(payload ?? "");
    });
    try {
      await fresh.connect();
      for (const channel of channels.keys()) await fresh.query(`LISTEN ${fresh.escapeIdentifier(channel)}`);
    } catch (error) {
      lost = true;
      void fresh.end().catch(() => undefined);
      throw new DatabaseUnavailable("The database cannot be reached to listen.", { cause: error });
    }
    fresh.on("error", onLoss);
    fresh.on("end", onLoss);
    return fresh;
  }

  function connected(): Promise<pg.Client> {
    if (client === undefined) {
      const attempt = connect();
      client = attempt;
      attempt.catch(() => {
        if (client === attempt) client = undefined;
      });
    }
    return client;
  }

  function reconnectIn(ms: number): void {
    if (closed || channels.size === 0) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      connected().catch(() => reconnectIn(Math.min(ms * 2, RETRY_LAST_MS)));
    }, ms).unref();
  }

  async function say(verb: "LISTEN" | "UNLISTEN", channel: string): Promise<void> {
    const current = await connected();
    await current.query(`${verb} ${current.escapeIdentifier(channel)}`);
  }

  return {
    async listen(channel, onMessage) {
      const ears = channels.get(channel) ?? new Set();
      channels.set(channel, ears.add(onMessage));

      async function stop(): Promise<void> {
        if (!ears.delete(onMessage) || ears.size > 0 || channels.get(channel) !== ears) return;
        channels.delete(channel);
        if (!closed && client !== undefined) await say("UNLISTEN", channel).catch(() => undefined);
      }

      try {
        await say("LISTEN", channel);
      } catch (error) {
        await stop();
        throw error instanceof DatabaseUnavailable
          ? error
          : new DatabaseUnavailable("The database cannot be reached to listen.", { cause: error });
      }
      return { [Symbol.asyncDispose]: stop };
    },

    async close() {
      closed = true;
      clearTimeout(retry);
      channels.clear();
      const current = await client?.catch(() => undefined);
      await current?.end().catch(() => undefined);
    },
  };
}
