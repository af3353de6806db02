/** `countersign doctor`: looks at everything that has to be right on this machine, and changes nothing. */
import { existsSync, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { LOOPBACK } from "../config/listen.ts";
import { passkeysPossible } from "../config/public_url.ts";
import { openCountersign } from "../open.ts";
import { pendingMigrations, schemaVersion } from "../store/migrate.ts";
import { connectDatabase } from "../store/open.ts";
import { bindAll } from "./bind.ts";
import { command } from "./command.ts";
import { looseFiles, octal } from "./data_folder.ts";
import { failureOf } from "./failure.ts";
import { isLocked } from "./lock.ts";
import { nodeProblem } from "./node_version.ts";
import { printJson, printWords } from "./output.ts";
import { readServerFile } from "./server_file.ts";
import type { ServerAddress } from "./server_file.ts";
import { loadConfig, osUser } from "./settings.ts";

export interface Finding {
  readonly check: string;
  /** `fail`: something does not work or is not safe. `warn`: it works, and the operator should know. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
const REACH_MS = 5_000;

export const doctor = command({
  name: "doctor",
  description: "Check this machine, the data and the running server; exits 1 when something is wrong",
  options: "server",
  async run(args, flags) {
    const config = loadConfig(flags);
    const running =
      existsSync(config.dataDir) && isLocked(config.dataDir)
        ? (readServerFile(config.dataDir) ?? "starting")
        : undefined;
    const findings = [
      node(),
      ...config.warnings.map((message): Finding => ({ check: "configuration", verdict: "warn", message })),
      ...folder(config),
      ...(await database(config)),
      await families(),
      await server(config, running),
      ...(await address(config, running)),
    ];
    const healthy = findings.every((finding) => finding.verdict !== "fail");
    if (args["json"]) printJson({ healthy, findings });
    else printWords(...findings.map(({ check, verdict, message }) => `${MARKS[verdict]}  ${check}: ${message}`));
    if (!healthy) process.exitCode = 1;
  },
});

type Running = ServerAddress | "starting" | undefined;

function node(): Finding {
  const problem = nodeProblem(process.versions.node);
  return {
    check: "node",
    verdict: problem === undefined ? "ok" : "fail",
    message: problem ?? `Node.js ${process.versions.node}`,
  };
}

function folder({ dataDir, database: { kind }, database: choice }: Config): Finding[] {
  const check = "data folder";
  if (!existsSync(dataDir))
    return [{ check, verdict: "warn", message: `${dataDir} does not exist yet; the first start makes it.` }];
  const { mode, uid } = statSync(dataDir);
  const own = process.getuid?.();
  if (own === undefined)
    return [{ check, verdict: "ok", message: `${dataDir}; its access list is not checked on this system.` }];
  const loose = kind === "sqlite" && choice.kind === "sqlite" ? looseFiles(choice.path) : [];
  return [
    uid === own
      ? { check, verdict: "ok", message: `${dataDir} belongs to ${osUser()}.` }
      : {
          check,
          verdict: own === 0 ? "warn" : "fail",
          message: `${dataDir} belongs to uid ${uid}, not to ${osUser()}: that account can change every decision.`,
        },
    ...((mode & 0o077) === 0
      ? []
      : [
          {
            check,
            verdict: "fail" as const,
            message: `${dataDir} is open to other accounts (mode ${octal(mode)}). Run: chmod 700 ${dataDir}`,
          },
        ]),
    ...loose.map((file) => ({
      check,
      verdict: "fail" as const,
      message: `${file.path} is open to other accounts (mode ${file.mode}). Run: chmod 600 ${file.path}`,
    })),
  ];
}

async function database(config: Config): Promise<Finding[]> {
  const check = "database";
  if (config.database.kind === "sqlite" && !existsSync(config.database.path))
    return [{ check, verdict: "warn", message: "There is none yet; the first start makes it." }];
  try {
    await using raw = await connectDatabase(config.database);
    const version = await schemaVersion(raw);
    const pending = await pendingMigrations(raw);
    if (pending.length > 0)
      return [
        {
          check,
          verdict: "warn",
          message: `It is at version ${version}, ${pending.length} behind this program. The next start brings it up, or run “countersign migrate”.`,
        },
      ];
    await using opened = await openCountersign(config, {
      publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    });
    await opened.engine.checkWritable();
    return [
      { check, verdict: "ok", message: `${config.database.kind}, version ${version}, can be written.` },
      ...(await people(opened.engine.operating(osUser()))),
    ];
  } catch (error) {
    return [{ check, verdict: "fail", message: failureOf(error).problems.join(" ").split("\n")[0] ?? "" }];
  }
}

async function people(
  operating: ReturnType<Awaited<ReturnType<typeof openCountersign>>["engine"]["operating"]>,
): Promise<Finding[]> {
  const reviewers = (await operating.listReviewers()).filter((reviewer) => reviewer.disabledAt === null).length;
  const agents = (await operating.listAgents()).filter((agent) => agent.revokedAt === null).length;
  return [
    reviewers > 0
      ? { check: "reviewers", verdict: "ok", message: `${reviewers} can decide.` }
      : {
          check: "reviewers",
          verdict: "warn",
          message: "Nobody can decide. Run “countersign setup” or “countersign reviewer add NAME”.",
        },
    agents > 0
      ? { check: "agents", verdict: "ok", message: `${agents} can ask.` }
      : { check: "agents", verdict: "warn", message: "No agent can ask. Run “countersign agent add NAME”." },
  ];
}

async function families(): Promise<Finding> {
  const { servers, missing } = await bindAll(LOOPBACK, 0, () => undefined);
  for (const listener of servers) listener.close();
  const message =
    missing.length === 0
      ? "127.0.0.1 and ::1 can both be held."
      : `This machine has no ${missing.join(", ")}; the server runs without it.`;
  return { check: "loopback", verdict: missing.length === 0 ? "ok" : "warn", message };
}

async function server(config: Config, running: Running): Promise<Finding> {
  const check = "server";
  if (running === "starting")
    return { check, verdict: "warn", message: "A server holds this data folder and is not ready yet." };
  if (running !== undefined)
    return { check, verdict: "ok", message: `runs as process ${running.pid}; agents connect to ${running.mcp}.` };
  try {
    const { servers, port } = await bindAll(config.hosts, config.port, () => undefined);
    for (const listener of servers) listener.close();
    return {
      check,
      verdict: "warn",
      message: `does not run; port ${config.port === 0 ? "0 (any)" : port} is free for it.`,
    };
  } catch (error) {
    return { check, verdict: "fail", message: `does not run: ${failureOf(error).problems.join(" ")}` };
  }
}

async function address(config: Config, running: Running): Promise<Finding[]> {
  const url = config.publicUrl ?? (typeof running === "object" ? running.url : `http://localhost:${config.port}`);
  const passkeys: Finding = passkeysPossible(url)
    ? { check: "passkeys", verdict: "ok", message: `possible at ${url}.` }
    : {
        check: "passkeys",
        verdict: "warn",
        message: `off at ${url}: browsers want a host name, on https or on localhost.`,
      };
  if (typeof running !== "object") return [passkeys];
  return [passkeys, await reach(url)];
}

async function reach(url: string): Promise<Finding> {
  const check = "public URL";
  try {
    const response = await fetch(`${url}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(REACH_MS) });
    await response.body?.cancel();
    if (response.ok) return { check, verdict: "ok", message: `${url} answers.` };
    return {
      check,
      verdict: "fail",
      message: `${url}/healthz answers ${response.status}. Check the proxy in front: it must pass every path and the Host header on.`,
    };
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error && "code" in error.cause
        ? ` (${String(error.cause.code)})`
        : "";
    return {
      check,
      verdict: "fail",
      message: `${url} cannot be reached from this machine${cause}. Check the name, the proxy and the certificate.`,
    };
  }
}
