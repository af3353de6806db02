/** An MCP client reduced to its requests, so that the client costs little and both servers get the very same bytes. */
import { Agent, request } from "node:http";

/** Never more than this many at a time. */
export const CONNECTIONS = 8;
const REVISION = "2026-07-28";
const META = { "io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {} };

export interface Caller extends Disposable {
  /** One tools/call of revision 2026-07-28. @returns the structured part. Throws when the call failed. */
  call(tool: string, args: object): Promise<Record<string, unknown>>;
  /** `count` calls over {@link CONNECTIONS} connections. @returns how long all of them took, in seconds */
  run(count: number, tool: string, args: (n: number) => object): Promise<number>;
}

export function newCaller(mcp: string, token: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let id = 0;

  async function call(tool: string, args: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: (id += 1),
      method: "tools/call",
      params: { name: tool, arguments: args, _meta: META },
    });
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call",
      "mcp-name": tool,
    };
    const text = await post(mcp, agent, headers, body);
    const last = text.includes("data: ")
      ? (text
          .split("\n")
          .findLast((line) => line.startsWith("data: {"))
          ?.slice("data: ".length) ?? "")
      : text;
    const { result } = JSON.parse(last) as {
      result?: { isError?: boolean; structuredContent?: Record<string, unknown> };
    };
    if (result?.structuredContent === undefined || result.isError === true) throw new Error(`${tool} failed: ${text}`);
    return result.structuredContent;
  }

  return {
    call,
    async run(count, tool, args) {
      const started = performance.now();
      let next = 0;
      async function work(): Promise<void> {
        for (let n = next++; n < count; n = next++) await call(tool, args(n));
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return (performance.now() - started) / 1_000;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function post(url: string, agent: Agent, headers: Record<string, string | number>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
