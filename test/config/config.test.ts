import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "../../src/config.ts";
import type { Flags } from "../../src/config/given.ts";
import { passkeysPossible } from "../../src/config/public_url.ts";

const machine = {
  home: "/home/anna",
  resolvePath: (...parts: string[]) => posix.resolve("/srv", ...parts),
  readFile(path: string): string {
    if (path === "/run/secrets/database") return "postgres://countersign:hunter2@db/countersign\n";
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  },
};

const read = (flags: Flags = {}, env: Record<string, string> = {}) => readConfig(env, flags, machine);

function problemsOf(flags: Flags, env: Record<string, string> = {}): readonly string[] {
  try {
    read(flags, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("defaults and order", () => {
  test("with nothing given, both loopback addresses on 4747 and a folder in the home", () => {
    expect(read()).toEqual({
      port: 4747,
      hosts: ["127.0.0.1", "::1"],
      publicUrl: undefined,
      insecureHttp: false,
      trustProxy: false,
      dataDir: "/home/anna/.countersign",
      database: { kind: "sqlite", path: "/home/anna/.countersign/countersign.db" },
      proofWindowMs: 300_000,
      awaitMaxSeconds: 55,
      expiresMinSeconds: 60,
      expiresMaxSeconds: 604_800,
      expiresDefaultSeconds: 3600,
      allowedOrigins: [],
      logLevel: "info",
      warnings: [],
    });
  });

  test("a flag stands over the environment, and the environment over the default", () => {
    expect(read({}, { COUNTERSIGN_PORT: "5000" }).port).toBe(5000);
    expect(read({ port: "6000" }, { COUNTERSIGN_PORT: "5000" }).port).toBe(6000);
  });

  test("every problem is reported at once, each naming where it was given", () => {
    const problems = problemsOf(
      { port: "many", "log-level": "loud" },
      { COUNTERSIGN_PUBLIC_URL: "file:///", COUNTERSIGN_TRUST_PROXY: "perhaps" },
    );
    expect(problems).toHaveLength(4);
    for (const name of ["--port", "--log-level", "COUNTERSIGN_PUBLIC_URL", "COUNTERSIGN_TRUST_PROXY"])
      expect(problems.some((problem) => problem.startsWith(name))).toBe(true);
  });
});

describe("names and values", () => {
  test("an unknown environment name is refused and the nearest one is named", () => {
    expect(problemsOf({}, { COUNTERSIGN_PUBLC_URL: "https://a.example" })).toEqual([
      "COUNTERSIGN_PUBLC_URL is not a known setting: did you mean COUNTERSIGN_PUBLIC_URL?",
    ]);
    expect(problemsOf({}, { COUNTERSIGN_PORT_FILE: "/x" })[0]).toContain("only secrets are read from files");
    expect(problemsOf({}, { OTHER_PORT: "1", PATH: "/bin" })).toEqual([]);
  });

  test("the settings of client programs may stand in the same environment", () => {
    expect(read({}, { COUNTERSIGN_TOKEN: "csk_x", COUNTERSIGN_URL: "http://localhost:4747" }).port).toBe(4747);
  });

  test("a secret is read from its file, once, and never repeated in a problem", () => {
    expect(read({}, { COUNTERSIGN_DATABASE_FILE: "/run/secrets/database" }).database).toEqual({
      kind: "postgres",
      url: "postgres://countersign:hunter2@db/countersign",
    });
    expect(problemsOf({}, { COUNTERSIGN_DATABASE_FILE: "/missing" })[0]).toContain("ENOENT");
    expect(
      problemsOf({}, { COUNTERSIGN_DATABASE_FILE: "/run/secrets/database", COUNTERSIGN_DATABASE: "sqlite:x" })[0],
    ).toContain("both set");
    expect(problemsOf({ database: "mysql://root:hunter2@db" }).join()).not.toContain("hunter2");
  });

  test("an empty value is a problem, not a default", () => {
    expect(problemsOf({}, { COUNTERSIGN_DATABASE: "" })).toEqual([
      "COUNTERSIGN_DATABASE is empty. Give it a value, or remove it.",
    ]);
  });

  test.each([
    "template-scripts",
    "retention-days",
    "unanswered-below-ms",
    "signing-key",
    "max-waits-per-agent",
    "max-waits-per-workspace",
    "max-pending-per-agent",
    "max-pending-per-workspace",
    "max-creates-per-minute",
    "max-creates-per-minute-per-workspace",
  ])("%s, which has no effect yet, is refused as not supported instead of being ignored", (name) => {
    expect(problemsOf({ [name]: "1" })).toEqual([
      `--${name}: not_supported: this version does not have it yet. Leave it out.`,
    ]);
  });

  test("numbers outside their range, fractions and exponents are refused", () => {
    for (const port of ["-1", "65536", "1e3", "0x10", "80.0", " 80", "٣"]) expect(problemsOf({ port })).toHaveLength(1);
    expect(read({ port: "0" }).port).toBe(0);
  });

  test("the default life of an approval follows moved ends, and a given one must lie between them", () => {
    expect(read({ "expires-max-seconds": "600" }).expiresDefaultSeconds).toBe(600);
    expect(read({ "expires-min-seconds": "7200" }).expiresDefaultSeconds).toBe(7200);
    expect(problemsOf({ "expires-max-seconds": "600", "expires-default-seconds": "700" })[0]).toContain(
      "between 60 and 600",
    );
    expect(problemsOf({ "expires-max-seconds": "600", "expires-min-seconds": "700" })[0]).toContain("above");
  });

  test("a database in memory, or of another kind, is refused", () => {
    expect(problemsOf({ database: "sqlite::memory:" })[0]).toContain("would forget");
    expect(problemsOf({ database: "redis://x" })[0]).toContain("sqlite:PATH");
    expect(read({ database: "sqlite:db/a.db" }).database).toEqual({ kind: "sqlite", path: "/srv/db/a.db" });
    expect(read({ database: "sqlite:///var/a.db" }).database).toEqual({ kind: "sqlite", path: "/var/a.db" });
  });

  test("allowed origins are origins and nothing else", () => {
    expect(read({ "allowed-origins": "https://a.example, http://b.example:81" }).allowedOrigins).toEqual([
      "https://a.example",
      "http://b.example:81",
    ]);
    for (const origin of ["*", "null", "https://a.example/", "https://A.example", "ftp://a.example", "a.example"])
      expect(problemsOf({ "allowed-origins": origin })).toHaveLength(1);
  });
});

describe("the public URL", () => {
  test("[BR 28] anything but https, or http on localhost, is refused with the reason", () => {
    for (const url of [
      "javascript:alert(1)",
      "file:///",
      "data:text/html,x",
      "ftp://a.example",
      "approve.example.com",
      "//evil.example",
      "http://approve.example.com",
      "https://",
    ]) {
      expect(problemsOf({ "public-url": url }), url).toHaveLength(1);
    }
  });

  test("a path, query, fragment, user name, trailing dot, wildcard or port 0 is refused", () => {
    for (const url of [
      "https://a.example/approve",
      "https://a.example/?x",
      "https://a.example?",
      "https://a.example/#",
      "https://u:p@a.example",
      "https://a.example.",
      "http://0.0.0.0:4747",
      "http://[::]:4747",
      "https://a.example:0",
    ]) {
      expect(problemsOf({ "public-url": url }), url).toHaveLength(1);
    }
  });

  test("https on any host and http on localhost are taken as origins", () => {
    expect(read({ "public-url": "https://Approve.example.com/" }).publicUrl).toBe("https://approve.example.com");
    expect(read({ "public-url": "http://localhost:4747" }).publicUrl).toBe("http://localhost:4747");
    expect(read({ "public-url": "http://box.localhost:80" }).publicUrl).toBe("http://box.localhost");
  });

  test("plain http elsewhere takes insecure-http, which warns; insecure-http without effect is refused", () => {
    const config = read({ "public-url": "http://box.lan:4747", "insecure-http": true });
    expect(config.insecureHttp).toBe(true);
    expect(config.warnings[0]).toContain("Passkeys are off");
    expect(problemsOf({ "insecure-http": true })).toHaveLength(1);
    expect(problemsOf({ "insecure-http": true, "public-url": "https://a.example" })).toHaveLength(1);
    expect(problemsOf({ "insecure-http": true, "public-url": "http://localhost" })).toHaveLength(1);
  });

  test("[BR 177] passkeys follow the public URL, not the bind address, and on an IP address they are off with an explanation", () => {
    expect(read({ "public-url": "https://a.example", host: "192.0.2.7" }).warnings).toEqual([]);
    expect(read({ "public-url": "https://192.0.2.7" }).warnings[0]).toContain("Passkeys are off");
    expect(read({ "public-url": "http://127.0.0.1:4747" }).warnings[0]).toContain("http://localhost:4747");
    expect(passkeysPossible("https://a.example")).toBe(true);
    expect(passkeysPossible("http://localhost:4747")).toBe(true);
    for (const origin of ["https://192.0.2.7", "https://[2001:db8::1]", "http://127.0.0.1:1", "http://box.lan"])
      expect(passkeysPossible(origin)).toBe(false);
  });

  test("[BR 181] listening beyond this machine without a public URL is warned about at the start", () => {
    expect(read({ host: "0.0.0.0" }).warnings[0]).toContain("Set --public-url");
    expect(read({ host: "0.0.0.0", "public-url": "https://a.example" }).warnings).toEqual([]);
  });

  test("whatever is given, an accepted public URL is an https origin or an http loopback one", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.constantFrom("http://localhost", "https://x.example", "http://127.1", "http://x.localhost:9"),
        ),
        (url) => {
          if (problemsOf({ "public-url": url }).length > 0) return;
          const origin = new URL(read({ "public-url": url }).publicUrl ?? "");
          expect(origin.protocol === "https:" || /^(.*\.)?localhost$|^127\.|^\[::1\]$/.test(origin.hostname)).toBe(
            true,
          );
          expect(origin.href).toBe(`${origin.origin}/`);
        },
      ),
    );
  });
});

describe("the addresses to listen on", () => {
  test("on a localhost public URL both loopback addresses are always held, so that nobody else is served under it", () => {
    expect(read({ host: "192.0.2.7" }).hosts).toEqual(["192.0.2.7", "127.0.0.1", "::1"]);
    expect(read({ host: "127.0.0.1" }).hosts).toEqual(["127.0.0.1", "::1"]);
    expect(read({ host: "0.0.0.0" }).hosts).toEqual(["0.0.0.0", "::1"]);
    expect(read({ host: "::" }).hosts).toEqual(["0.0.0.0", "::"]);
    expect(read({ host: "localhost" }).hosts).toEqual(["127.0.0.1", "::1"]);
  });

  test("behind another public URL exactly the given addresses are used", () => {
    const flags = { "public-url": "https://a.example" };
    expect(read({ ...flags, host: "192.0.2.7" }).hosts).toEqual(["192.0.2.7"]);
    expect(read({ ...flags, host: "[::1]" }).hosts).toEqual(["::1"]);
    expect(read(flags).hosts).toEqual(["127.0.0.1", "::1"]);
  });

  test("a host name is refused: what it resolves to is not ours to trust", () => {
    for (const host of ["example.com", "256.1.1.1", "1.2.3", "http://x", "01.2.3.4"])
      expect(problemsOf({ host })).toHaveLength(1);
  });
});
