/** `countersign agent`: the programs that may ask. */
import { defineCommand } from "citty";
import { command } from "./command.ts";
import type { Arguments } from "./command.ts";
import { UsageError } from "./failure.ts";
import { operate } from "./operate.ts";
import type { Operated } from "./operate.ts";
import { hint, printJson, printWords, printable, table, time } from "./output.ts";
import { HOSTS, pasteFor } from "./paste.ts";
import type { Host } from "./paste.ts";

const ADDRESS = ["public-url", "insecure-http", "port"];
const FOR = {
  type: "string",
  valueHint: "HOST",
  description: `Print the lines to paste into ${HOSTS.join(", ")}`,
} as const;
const NAME = { type: "positional", description: "The agent's name" } as const;

const add = command({
  name: "add",
  description: "Let an agent ask; its token is shown once",
  args: {
    name: NAME,
    owner: {
      type: "string",
      valueHint: "REVIEWER",
      description: "The reviewer it works for; shown with everything it asks",
    },
    "expires-days": { type: "string", valueHint: "N", description: "Days until the token ends (default: it does not)" },
    for: FOR,
  },
  options: ADDRESS,
  async run(args, flags) {
    const host = readHost(args["for"]);
    const expiresInDays = readDays(args["expires-days"]);
    const owner = args["owner"] === undefined ? undefined : String(args["owner"]);
    await operate(flags, "make", async (operated) => {
      printToken(
        args,
        host,
        operated,
        await operated.operating.addAgent({ name: String(args["name"]), owner, expiresInDays }),
      );
    });
  },
});

const rotate = command({
  name: "rotate",
  description: "Give an agent a new token; the old ones end at once",
  args: { name: NAME, for: FOR },
  options: ADDRESS,
  async run(args, flags) {
    const host = readHost(args["for"]);
    await operate(flags, "require", async (operated) => {
      printToken(args, host, operated, await operated.operating.rotateAgent(String(args["name"])));
    });
  },
});

const list = command({
  name: "list",
  description: "List the agents",
  async run(args, flags) {
    const agents = await operate(flags, "require", ({ operating }) => operating.listAgents());
    const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
    if (args["json"]) {
      return printJson({
        agents: agents.map(({ id, name, owner, createdAt, revokedAt, lastUsedAt }) => ({
          id,
          name,
          owner,
          createdAt: iso(createdAt),
          revokedAt: iso(revokedAt),
          lastUsedAt: iso(lastUsedAt),
        })),
      });
    }
    if (agents.length === 0) return hint("There are no agents. Run “countersign agent add NAME”.");
    const rows = agents.map((agent) => [
      agent.name,
      agent.owner?.name ?? "-",
      time(agent.createdAt),
      agent.lastUsedAt === null ? "never" : time(agent.lastUsedAt),
      agent.revokedAt === null ? "active" : `revoked ${time(agent.revokedAt)}`,
    ]);
    printWords(...table(["NAME", "OWNER", "ADDED", "LAST USED", "STATE"], rows));
  },
});

const revoke = command({
  name: "revoke",
  description: "End an agent's tokens for good",
  args: { name: NAME },
  async run(args, flags) {
    const agent = await operate(flags, "require", ({ operating }) => operating.revokeAgent(String(args["name"])));
    if (args["json"]) return printJson({ id: agent.id, name: agent.name, revoked: true });
    printWords(`${printable(agent.name)} cannot ask any more.`);
  },
});

export const agent = defineCommand({
  meta: { name: "agent", description: "The programs that may ask: add, list, rotate, revoke" },
  subCommands: { add, list, rotate, revoke },
});

function printToken(
  args: Arguments,
  host: Host | undefined,
  { url, urlKnown }: Operated,
  { agent: { name }, token }: { agent: { name: string }; token: string },
): void {
  const paste = host === undefined ? undefined : pasteFor(host, `${url}/mcp`, token);
  if (args["json"]) return printJson({ name, token, ...(paste === undefined ? {} : { paste: paste.lines }) });
  printWords(paste?.lines ?? token);
  hint(
    paste?.where ??
      `The token of ${printable(name)}, for ${url}/mcp. It is not shown again; with --for ${HOSTS.join("|")} this command prints the lines to paste.`,
  );
  if (!urlKnown)
    hint(
      `No server seems to run on this data folder; ${url} is the default address. If yours is another, give --public-url.`,
    );
}

function readHost(given: string | boolean | undefined): Host | undefined {
  const host = HOSTS.find((name) => name === given);
  if (given !== undefined && host === undefined) throw new UsageError(`--for: choose one of ${HOSTS.join(", ")}.`);
  return host;
}

function readDays(given: string | boolean | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(String(given)))
    throw new UsageError("--expires-days: give a whole number of days from 1 to 9999.");
  return Number(given);
}
