/** What to paste into an MCP host so that it reaches this server. Formats as the hosts document them in November 2026. */

export const HOSTS = ["claude-code", "codex", "cursor", "vscode", "json"] as const;
export type Host = (typeof HOSTS)[number];

export interface Paste {
  /** Exactly what to paste. */
  readonly lines: string;
  /** Where it goes. */
  readonly where: string;
}

/** @param mcp The endpoint's URL. @param token The agent's token: letters, digits, `-` and `_` only, so nothing needs quoting. */
export function pasteFor(host: Host, mcp: string, token: string): Paste {
  const headers = { Authorization: `Bearer ${token}` };
  switch (host) {
    case "claude-code":
      return {
        lines: `claude mcp add --transport http --scope user countersign ${mcp} --header "Authorization: Bearer ${token}"`,
        where: "Run this in a terminal, then start Claude Code anew.",
      };
    case "codex":
      // Codex refuses a token written into its configuration; it reads it from the environment it is started in.
      return {
        lines: `export COUNTERSIGN_TOKEN=${token}\ncodex mcp add countersign --url ${mcp} --bearer-token-env-var COUNTERSIGN_TOKEN`,
        where:
          "Run this in a terminal, and keep the first line where Codex is started (for instance in your shell's profile).",
      };
    case "cursor":
      return {
        lines: JSON.stringify({ mcpServers: { countersign: { url: mcp, headers } } }, null, 2),
        where:
          "Put this into ~/.cursor/mcp.json (or .cursor/mcp.json of one project); beside other servers, only the inner “countersign” entry.",
      };
    case "vscode":
      return {
        lines: `code --add-mcp '${JSON.stringify({ name: "countersign", type: "http", url: mcp, headers })}'`,
        where: "Run this in a terminal. In a project's .vscode/mcp.json the entry stands under “servers”.",
      };
    case "json":
      return {
        lines: JSON.stringify({ mcpServers: { countersign: { type: "http", url: mcp, headers } } }, null, 2),
        where: "The form that most MCP hosts read: Streamable HTTP with an Authorization header.",
      };
  }
}
