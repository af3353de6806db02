/** An agent as any MCP host would run it: it asks, waits in bounded calls, and fetches the outcome. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export interface Asked {
  readonly elicitationId: string;
  readonly reviewUrl: string;
  readonly expiresAt: string;
}

export interface DemoAgent extends AsyncDisposable {
  ask(input: { readonly [name: string]: unknown }): Promise<Asked>;
  /** Calls `elicit_await` until it is no longer pending, then `elicit_result`. */
  outcome(elicitationId: string): Promise<{ readonly [name: string]: unknown }>;
}

export async function connectAgent(mcp: string, token: string): Promise<DemoAgent> {
  const client = new Client({ name: "countersign-demo", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  );

  async function call(name: string, input: { readonly [name: string]: unknown }): Promise<{ [name: string]: unknown }> {
    const { isError, structuredContent } = await client.callTool({ name, arguments: input });
    if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
    return structuredContent as { [name: string]: unknown };
  }

  return {
    ask: async (input) => (await call("elicit_approval", input)) as unknown as Asked,
    async outcome(elicitationId) {
      while ((await call("elicit_await", { elicitationId }))["status"] === "pending");
      return call("elicit_result", { elicitationId });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
