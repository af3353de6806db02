/** Every option of the configuration: its name, what it takes, and in which command line it stands. */

export type OptionKind = "flag" | "integer" | "text" | "list";

export interface ConfigOption {
  /** The flag's name; the environment name is `COUNTERSIGN_` and this in capitals with underscores. */
  readonly name: string;
  readonly kind: OptionKind;
  readonly hint?: string;
  readonly description: string;
  /** Inclusive ends, for `integer`. */
  readonly range?: readonly [number, number];
  /** May also be given as `…_FILE`, a file that holds the value. */
  readonly secret?: boolean;
  /** `data`: on every command. `server`: on the commands that serve. `client`: environment only, for programs that call a server. */
  readonly scope: "data" | "server" | "client";
  /** Promised by the contract, not built yet: refused, so that nobody believes it is in force. */
  readonly later?: boolean;
}

const DAY_SECONDS = 86_400;

export const OPTIONS: readonly ConfigOption[] = [
  {
    name: "data",
    kind: "text",
    hint: "DIR",
    scope: "data",
    description: "Data folder (default: .countersign in the home folder)",
  },
  {
    name: "database",
    kind: "text",
    hint: "URL",
    scope: "data",
    secret: true,
    description: "sqlite:PATH or postgres://… (default: countersign.db in the data folder)",
  },
  {
    name: "port",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [0, 65_535],
    description: "Port to listen on; 0 picks a free one (default: 4747)",
  },
  {
    name: "host",
    kind: "list",
    hint: "ADDRESS",
    scope: "server",
    description: "IP addresses to listen on, separated by commas (default: both loopback addresses)",
  },
  {
    name: "public-url",
    kind: "text",
    hint: "URL",
    scope: "server",
    description: "The address reviewers open: https, or http on localhost (default: http://localhost:PORT)",
  },
  {
    name: "insecure-http",
    kind: "flag",
    scope: "server",
    description: "Allow a plain-http public URL that is not localhost: no passkeys, a password for each decision",
  },
  {
    name: "trust-proxy",
    kind: "flag",
    scope: "server",
    description: "Take the caller's address from the last X-Forwarded-For entry, as the proxy in front writes it",
  },
  {
    name: "allowed-origins",
    kind: "list",
    hint: "ORIGINS",
    scope: "server",
    description: "Web origins that may call /mcp, separated by commas",
  },
  {
    name: "proof-window-seconds",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [0, 3600],
    description: "How long a proof stays fresh, on https (default: 300)",
  },
  {
    name: "await-max-seconds",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [1, 3600],
    description: "The longest one elicit_await call lasts (default: 55)",
  },
  {
    name: "expires-min-seconds",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [1, 365 * DAY_SECONDS],
    description: "Shortest life of an approval (default: 60)",
  },
  {
    name: "expires-max-seconds",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [1, 365 * DAY_SECONDS],
    description: "Longest life of an approval (default: 604800)",
  },
  {
    name: "expires-default-seconds",
    kind: "integer",
    hint: "N",
    scope: "server",
    range: [1, 365 * DAY_SECONDS],
    description: "Life of an approval that does not say (default: 3600)",
  },
  {
    name: "log-level",
    kind: "text",
    hint: "LEVEL",
    scope: "server",
    description: "debug, info, warn, error or silent (default: info)",
  },
  { name: "template-scripts", kind: "text", scope: "server", later: true, description: "on or off" },
  {
    name: "retention-days",
    kind: "integer",
    scope: "server",
    range: [1, 36_500],
    later: true,
    description: "Days that bodies are kept after the end",
  },
  {
    name: "unanswered-below-ms",
    kind: "integer",
    scope: "server",
    range: [0, 60_000],
    later: true,
    description: "Answers at the keyboard faster than this count as unanswered",
  },
  ...["max-waits", "max-pending", "max-creates-per-minute"].flatMap((name) =>
    ["-per-agent", "-per-workspace"].map((end): ConfigOption => ({
      name: name === "max-creates-per-minute" && end === "-per-agent" ? name : `${name}${end}`,
      kind: "integer",
      scope: "server",
      range: [1, 1_000_000],
      later: true,
      description: "A limit on what one requester can hold or do",
    })),
  ),
  {
    name: "signing-key",
    kind: "text",
    scope: "server",
    secret: true,
    later: true,
    description: "The key that signs receipts",
  },
  { name: "url", kind: "text", scope: "client", description: "A running server's address" },
  { name: "token", kind: "text", scope: "client", secret: true, description: "An agent's token" },
];

export const ENV_PREFIX = "COUNTERSIGN_";

export function envNameOf(option: Pick<ConfigOption, "name">): string {
  return ENV_PREFIX + option.name.toUpperCase().replaceAll("-", "_");
}

/** The closest of `known` to `name`, or undefined when none is close enough to be a slip of the hand. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(name.length / 3)) ? best.name : undefined;
}

/** Levenshtein's distance: insertions, deletions and replacements. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
