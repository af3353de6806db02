/** Races over real HTTP with real proofs: a passkey against a password against a cancel against the deadline. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyChain } from "../../src/approval/event.ts";
import { loadEvents } from "../../src/store/events.ts";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";
import { Authenticator } from "../support/authenticator.ts";

const RACES = 50;
const CLOSING = ["decided", "canceled", "expired"];

let app: TestApp;
let client: Client;
let anna: { cookie: string; csrf: string };
let bert: { cookie: string; csrf: string };
let authenticator: Authenticator;

beforeAll(async () => {
  app = await openTestApp({ listen: true });
  const operating = app.engine.operating("test");
  anna = await enrolByPasskey((await operating.newSetupCode()).code);
  await operating.addReviewer({ name: "Bert", password: PASSWORD });
  bert = await app.signIn("Bert");
  const { token } = await operating.addAgent({ name: "deployer" });
  client = new Client({ name: "races", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.origin}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
});

afterAll(async () => {
  await client.close();
  await app[Symbol.asyncDispose]();
  expect(app.reports).toEqual([]);
});

async function post(
  path: string,
  body: object | URLSearchParams,
  session?: { cookie: string; csrf: string },
): Promise<Response> {
  const form = body instanceof URLSearchParams;
  return fetch(`${app.origin}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      origin: app.origin,
      "sec-fetch-site": "same-origin",
      ...(form ? {} : { "content-type": "application/json", accept: "application/json" }),
      ...(session ? { cookie: session.cookie, "x-csrf": session.csrf } : {}),
    },
    body: form ? body : JSON.stringify(body),
  });
}

async function enrolByPasskey(code: string): Promise<{ cookie: string; csrf: string }> {
  const begun = (await (await post("/setup/passkey/options", { code, name: "Anna" })).json()) as {
    challengeId: string;
    options: unknown;
  };
  authenticator = new Authenticator(app.origin);
  const response = authenticator.create(begun.options);
  const enrolled = await post("/setup/passkey", { code, name: "Anna", challengeId: begun.challengeId, response });
  const cookie = enrolled.headers.get("set-cookie")!.split(";")[0]!;
  const session = await app.engine.reviewing.session(cookie.slice(cookie.indexOf("=") + 1));
  return { cookie, csrf: session!.csrf };
}

async function call(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  return (await client.callTool({ name, arguments: input })).structuredContent as Record<string, unknown>;
}

async function digestOf(id: string): Promise<string> {
  const [row] = await app.db.query<{ request_digest: string }>(`SELECT request_digest FROM approvals WHERE id = $1`, [
    id,
  ]);
  return row!.request_digest;
}

/** Everything up to the touch, which is what races. */
async function annaReady(id: string): Promise<() => Promise<Response>> {
  const prepared = await post(
    "/review/passkey",
    { elicitationId: id, decision: "submitted", requestDigest: await digestOf(id) },
    anna,
  );
  const { intentId, options } = (await prepared.json()) as { intentId: string; options: unknown };
  const response = authenticator.get(options);
  return () => post("/confirm/passkey", { intentId, response }, anna);
}

async function bertReady(id: string): Promise<() => Promise<Response>> {
  const body = new URLSearchParams({
    csrf: bert.csrf,
    elicitationId: id,
    decision: "declined",
    requestDigest: await digestOf(id),
    password: PASSWORD,
  });
  return () => post(`/review?elicitationId=${id}`, body, bert);
}

test(`${RACES} approvals raced over HTTP with real proofs: one outcome each, one closing event each, losers told who won`, async () => {
  const statuses = new Set<string>();
  for (let race = 0; race < RACES; race += 1) {
    const { elicitationId } = (await call("elicit_approval", {
      message: "Race",
      context: race,
      expiresInSeconds: 60,
    })) as { elicitationId: string };
    const [touch, press] = [await annaReady(elicitationId), await bertReady(elicitationId)];
    // One race in four is run as the time runs out; in the others the cancel comes at once or a little later.
    const overDeadline = race % 4 === 3;
    if (overDeadline) await app.clock.advance(59_999);
    const cancel = () => call("elicit_cancel", { elicitationId });
    const racing: Promise<unknown>[] =
      race % 4 === 1 ? [touch(), press()] : race % 4 === 2 ? [press()] : [cancel(), touch(), press()];
    if (overDeadline) {
      app.clock.jump(1);
      racing.push(app.engine.tick().then(() => new Response()));
    }
    const answers = await Promise.all(racing);

    const { status, decision } = await call("elicit_status", { elicitationId });
    statuses.add(String(status));
    const events = await loadEvents(app.db, "default", elicitationId);
    expect(verifyChain(events)).toMatchObject({ ok: true });
    expect(events.filter(({ type }) => CLOSING.includes(type))).toHaveLength(1);
    const decisions = await app.db.query(`SELECT person_name, decision FROM decisions WHERE approval = $1`, [
      elicitationId,
    ]);
    expect(decisions).toHaveLength(decision === undefined ? 0 : 1);
    for (const answer of answers) {
      if (!(answer instanceof Response) || answer.status === 303 || answer.ok) continue;
      // Whoever lost is led to, or shown, how it ended.
      expect(answer.status).toBe(409);
      const text = await answer.text();
      if (answer.headers.get("content-type")?.includes("html"))
        expect(text).toContain(status === "expired" ? "xpired" : status === "canceled" ? "anceled" : "Anna");
      else expect(text).toContain(`/review?elicitationId=${elicitationId}`);
    }
  }
  expect(statuses.size).toBeGreaterThanOrEqual(3);
}, 120_000);

test(`${RACES} decisions around the deadline of a wait over HTTP: none is missed`, async () => {
  for (let run = 0; run < RACES; run += 1) {
    const { elicitationId } = (await call("elicit_approval", { message: "Wait", context: run })) as {
      elicitationId: string;
    };
    const touch = await annaReady(elicitationId);
    const waiting = call("elicit_await", { elicitationId, waitSeconds: 1 });
    while (app.clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
    // Before, at, and after the end of the window.
    const offset = (run % 3) - 1;
    await app.clock.advance(1_000 + Math.min(offset, 0));
    const touching = touch();
    await app.clock.advance(1 + Math.max(offset, 0));
    expect((await touching).ok).toBe(true);
    await waiting;
    const next = await call("elicit_await", { elicitationId, waitSeconds: 0 });
    expect(next).toMatchObject({ status: "submitted", decision: "submitted" });
  }
}, 120_000);
