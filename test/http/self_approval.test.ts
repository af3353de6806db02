/**
 * The model cannot approve itself: every route × every credential that an agent can hold, generated from the route
 * table, so that a new route is attacked without anybody remembering it.
 */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Approvals } from "../../src/approval/approvals.ts";
import { intentChallenge } from "../../src/approval/intent.ts";
import type { Route } from "../../src/http/route.ts";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";
import { Authenticator } from "../support/authenticator.ts";

let app: TestApp;
let routes: readonly Route[];
let token: string;
let approvals: Approvals;
/** One of each mode, so that every way of deciding is tried. */
let ids: string[];
let credentials: Record<string, Record<string, string>>;
let stolen: { cookie: string; csrf: string };

const FORM = { type: "object", properties: { name: { type: "string", default: "x" } } };
const UNKNOWN_INTENT = "AAAAAAAAAAAAAAAAAAAAAA";

beforeAll(async () => {
  app = await openTestApp();
  routes = app.app.routes;
  const operating = app.engine.operating("test");
  await operating.addReviewer({ name: "Anna", password: PASSWORD });
  const added = await operating.addAgent({ name: "deployer", owner: "Anna" });
  token = added.token;
  const revoked = await operating.addAgent({ name: "revoked" });
  await operating.revokeAgent("revoked");
  approvals = app.engine.approvalsOf(added.agent);
  ids = [
    (await approvals.request({ message: "Deploy", context: '{"target":"prod"}', expiresInSeconds: 604_800 })).id,
    (await approvals.request({ message: "Fill in", requestedSchema: FORM, expiresInSeconds: 604_800 })).id,
  ];

  const expired = await app.signIn();
  await app.clock.advance(13 * 60 * 60_000);
  const signedOut = await app.signIn();
  await app.fetch("/signout", {
    method: "POST",
    headers: { origin: app.origin, cookie: signedOut.cookie },
    body: new URLSearchParams({ csrf: signedOut.csrf }),
  });
  stolen = await app.signIn();
  const cookieName = expired.cookie.split("=")[0]!;

  credentials = {
    "nothing at all": {},
    "its own token": { authorization: `Bearer ${token}` },
    "a revoked token": { authorization: `Bearer ${revoked.token}` },
    "its own token as a cookie": { cookie: `${cookieName}=${token}` },
    "the id as a cookie": { cookie: `${cookieName}=${ids[0]}` },
    "the id as a token": { authorization: `Bearer ${ids[0]}` },
    "the link as referrer": { referer: `${app.origin}/review?elicitationId=${ids[0]}` },
    "a legacy session id": { "mcp-session-id": await legacySession(), authorization: `Bearer ${token}` },
    "a legacy session id as a cookie": { cookie: `${cookieName}=${await legacySession()}` },
    "an expired reviewer's session": { cookie: expired.cookie },
    "a session that was signed out": { cookie: signedOut.cookie },
    "a session of another workspace": { cookie: `${cookieName}=${await foreignSession()}` },
    "a live session without its form token": { cookie: stolen.cookie },
  };
});

afterAll(async () => {
  expect(app.reports).toEqual([]);
  await app[Symbol.asyncDispose]();
});

async function legacySession(): Promise<string> {
  const response = await app.fetch("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    }),
  });
  await response.body?.cancel();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no legacy session: ${response.status}`);
  return id;
}

/** A live session in a second workspace, put there by hand: this release opens only one. */
async function foreignSession(): Promise<string> {
  const value = randomBytes(32).toString("base64url");
  const now = app.clock.now();
  const [{ hash } = { hash: "" }] = await app.db.query<{ hash: string }>(`SELECT hash FROM sessions LIMIT 1`);
  const digest = createHash("sha256")
    .update(value)
    .digest(hash.length === 64 ? "hex" : "base64url");
  await app.db.query(`INSERT INTO workspaces (id, name, created_at) VALUES ('second', 'Second', 0)`);
  await app.db.query(
    `INSERT INTO people (workspace, id, name, name_key, enrolled_at, enrolled_way) VALUES ('second', 'eve', 'Eve', 'eve', 0, 'web')`,
  );
  await app.db.query(
    `INSERT INTO memberships (workspace, person, role, since) VALUES ('second', 'eve', 'reviewer', 0)`,
  );
  await app.db.query(
    `INSERT INTO sessions (workspace, hash, person, csrf, created_at, used_at, expires_at, proved_at, proof) VALUES ('second', $1, 'eve', 'csrf', $2, $2, $3, $2, 'password')`,
    [digest, now, now + 1_000_000],
  );
  return value;
}

/** Everything that must not move: outcomes, people, proofs, agents, and the trail of them. */
async function state(): Promise<unknown> {
  const tables = [
    `SELECT id, status, decision, closed_at, consumed_at, claim_key FROM approvals ORDER BY id`,
    `SELECT * FROM decisions`,
    `SELECT workspace, id, name, disabled_at FROM people ORDER BY workspace, id`,
    `SELECT * FROM memberships ORDER BY workspace, person`,
    `SELECT id, person, kind, secret FROM credentials ORDER BY id`,
    `SELECT id, name, owner, revoked_at FROM agents ORDER BY id`,
    `SELECT hash, revoked_at FROM agent_tokens ORDER BY hash`,
    `SELECT workspace, hash FROM sessions ORDER BY hash`,
    `SELECT stream, seq, type, hash FROM events WHERE type <> 'viewed' ORDER BY stream, seq`,
  ];
  return Promise.all(tables.map((sql) => app.db.query(sql)));
}

/** Every field that any page or script sends, with what an agent can know or guess. */
async function guesses(id: string): Promise<Record<string, string>> {
  const [{ request_digest: requestDigest } = { request_digest: "" }] = await app.db.query<{ request_digest: string }>(
    `SELECT request_digest FROM approvals WHERE id = $1`,
    [id],
  );
  return {
    elicitationId: id,
    decision: "submitted",
    requestDigest,
    comment: "fine",
    csrf: "csrf",
    password: "password1",
    name: "Anna",
    code: "AAAAA-AAAAA-AAAAA",
    intentId: UNKNOWN_INTENT,
    challengeId: UNKNOWN_INTENT,
  };
}

async function attack(route: Route, held: Record<string, string>): Promise<void> {
  for (const id of ids) {
    const fields = await guesses(id);
    const response = new Authenticator(app.origin).create({
      challenge: "AAAA",
      rp: { id: "localhost" },
      user: { id: "AAAA" },
    });
    const path = `${route.path.replace("/*", "/x")}?elicitationId=${id}&intent=${UNKNOWN_INTENT}&returnTo=/`;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const bare = method === "GET" || method === "HEAD";
      const bodies: readonly (readonly [string, string])[] = [
        ["application/x-www-form-urlencoded", new URLSearchParams(fields).toString()],
        ["application/json", JSON.stringify({ ...fields, response })],
        ["text/plain", "decision=submitted"],
      ];
      for (const [type, body] of bare ? [["", ""] as const] : bodies) {
        for (const sent of [{ origin: app.origin }, { "sec-fetch-site": "same-origin" }, {}]) {
          const headers = new Headers({ ...held, ...sent });
          if (!bare) headers.set("content-type", type);
          const answer = await app.fetch(path, bare ? { method, headers } : { method, headers, body });
          await answer.body?.cancel();
        }
      }
    }
  }
}

async function callMcp(
  method: string,
  params: Record<string, unknown>,
): Promise<{ result?: { tools?: { name: string }[] } }> {
  const headers = new Headers({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
  });
  if (typeof params["name"] === "string") headers.set("mcp-name", params["name"]);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
  };
  const response = await app.fetch("/mcp", {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  return JSON.parse(text.includes("data: ") ? text.slice(text.lastIndexOf("data: ") + 6) : text);
}

describe("the model cannot approve itself", () => {
  test("the table holds the routes that decide, enrol and serve agents", () => {
    const known = routes.map(({ method, path, who }) => `${who} ${method} ${path}`);
    expect(known).toEqual(
      expect.arrayContaining([
        "reviewer POST /review",
        "reviewer POST /confirm",
        "reviewer POST /confirm/passkey",
        "public POST /setup",
        "agent POST /mcp",
      ]),
    );
  });

  test("every route × every credential that an agent can hold changes nothing", async () => {
    const before = await state();
    for (const route of routes) {
      for (const [name, held] of Object.entries(credentials)) {
        await attack(route, held);
        expect(await state(), `${route.method} ${route.path} with ${name}`).toEqual(before);
      }
    }
  }, 120_000);

  test("every tool, with every argument that a page knows, decides nothing", async () => {
    const tools = (await callMcp("tools/list", {})).result?.tools ?? [];
    expect(tools.length).toBeGreaterThanOrEqual(7);
    const before = await state();
    for (const { name } of tools) {
      // It may ask again, and take its own question back; neither is a decision, and both are tested elsewhere.
      if (name === "elicit_cancel" || name === "elicit_approval") continue;
      for (const id of ids) {
        await callMcp("tools/call", {
          name,
          arguments: {
            ...(await guesses(id)),
            waitSeconds: 0,
            approve: true,
            status: "submitted",
            claimKey: "x",
            formSubmission: { name: "x" },
          },
        });
      }
    }
    expect(await state()).toEqual(before);
  });

  test("a stolen live session, with its form token, prepares but cannot decide: every proof an agent can make is refused", async () => {
    const { cookie, csrf } = stolen;
    const before = await state();
    const headers = { cookie, origin: app.origin, "x-csrf": csrf };
    for (const id of ids) {
      const fields: Record<string, string> = { ...(await guesses(id)), csrf };
      // By password, guessed and empty; by decline as well as by submission.
      for (const decision of ["submitted", "declined"]) {
        for (const password of ["", "password1"]) {
          const pressed = await app.fetch(`/review?elicitationId=${id}`, {
            method: "POST",
            headers,
            body: new URLSearchParams({ ...fields, decision, password }),
          });
          const location = pressed.headers.get("location");
          if (location === null) {
            expect(pressed.status).toBe(403);
            continue;
          }
          expect(location).toMatch(/^\/confirm/);
          const confirmed = await app.fetch(location, {
            method: "POST",
            headers,
            body: new URLSearchParams({ csrf, password }),
          });
          expect(confirmed.status).toBe(403);
        }
      }
      // By a passkey that nobody enrolled, verified or not, over the real challenge of the real intent.
      const session = (await app.engine.reviewing.session(cookie.slice(cookie.indexOf("=") + 1)))!;
      const prepared = await app.engine.reviewing.prepare(session, {
        approvalId: id,
        decision: "submitted",
        requestDigest: fields["requestDigest"]!,
        answers: new Map([["name", ["x"]]]),
      });
      if (prepared.kind !== "prepared") throw new Error(prepared.kind);
      const authenticator = new Authenticator(app.origin);
      authenticator.create({
        challenge: "AAAA",
        rp: { id: "localhost" },
        user: { id: Buffer.from(session.reviewer.id).toString("base64url") },
      });
      for (const userVerified of [true, false]) {
        const challenge = Buffer.from(intentChallenge(prepared.intent)).toString("base64url");
        const response = authenticator.get({ challenge, rpId: "localhost" }, { userVerified });
        const body = JSON.stringify({ intentId: prepared.intentId, response });
        const touched = await app.fetch("/confirm/passkey", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body,
        });
        expect(touched.status).toBe(403);
      }
    }
    expect(await state()).toEqual(before);
  });

  test("GET and HEAD with a live session change nothing but one viewed event and the times of use", async () => {
    const { cookie } = stolen;
    const viewed = async (): Promise<number> =>
      (await app.db.query(`SELECT stream FROM events WHERE type = 'viewed'`)).length;
    await app.db.query(`DELETE FROM views`);
    const before = await state();
    const already = await viewed();
    for (const route of routes) {
      for (const id of ids) {
        for (const method of ["GET", "HEAD", "GET"]) {
          const answer = await app.fetch(
            `${route.path.replace("/*", "/style.css")}?elicitationId=${id}&decision=submitted`,
            { method, headers: { cookie } },
          );
          await answer.body?.cancel();
        }
      }
    }
    expect(await state()).toEqual(before);
    expect((await viewed()) - already).toBe(ids.length);
  });

  test("the person with the right password does decide: the attacks above fail for want of proof, not for a broken page", async () => {
    const { cookie, csrf } = stolen;
    const id = ids[0]!;
    const body = new URLSearchParams({ ...(await guesses(id)), csrf, password: PASSWORD });
    const pressed = await app.fetch(`/review?elicitationId=${id}`, {
      method: "POST",
      headers: { cookie, origin: app.origin },
      body,
    });
    expect(pressed.status).toBe(303);
    expect(await approvals.status(id)).toMatchObject({ status: "submitted" });
  });
});
