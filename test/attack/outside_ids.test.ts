/** Ids come from outside: whatever stands in their place is "nothing here", never a fault of ours in the log. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";

let app: TestApp;
let cookie: string;
let csrf: string;
beforeAll(async () => {
  app = await openTestApp();
  await app.engine.operating("test").addReviewer({ name: "Anna", password: PASSWORD });
  ({ cookie, csrf } = await app.signIn());
});
afterAll(() => app[Symbol.asyncDispose]());

const ODD = ["\0", "\ud800", "' OR 1=1 --", "__proto__", "x".repeat(5_000), "A".repeat(22)];
const ANSWER = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
};

describe.each(ODD)("%j", (odd) => {
  const query = encodeURIComponent(odd.toWellFormed());
  const post = (path: string, body: object) =>
    app.fetch(path, {
      method: "POST",
      headers: { origin: app.origin, cookie, "x-csrf": csrf, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("is no intent to look at, to confirm, to fill in again or to sign", async () => {
    const headers = { origin: app.origin, cookie };
    expect((await app.fetch(`/confirm?intent=${query}`, { headers })).status).toBe(404);
    const form = new URLSearchParams({ csrf, password: PASSWORD });
    expect((await app.fetch(`/confirm?intent=${query}`, { method: "POST", headers, body: form })).status).toBe(404);
    expect((await app.fetch(`/review?elicitationId=${query}`, { headers })).status).toBe(404);
    expect((await post("/confirm/passkey/options", { intentId: odd })).status).toBe(409);
    expect((await post("/confirm/passkey", { intentId: odd, response: ANSWER })).status).toBe(409);
    expect(app.reports).toEqual([]);
  });

  test("is no ceremony to answer", async () => {
    expect((await post("/signin/passkey", { challengeId: odd, response: ANSWER })).status).toBe(403);
    expect(app.reports).toEqual([]);
  });

  test("is no place to go on in the inbox, and no session", async () => {
    expect((await app.fetch(`/?cursor=${query}`, { headers: { cookie } })).status).toBeLessThan(500);
    const name = cookie.split("=")[0]!;
    const inHeader = odd.replace(/[^\u0020-\u007e]/g, "?");
    expect((await app.fetch("/", { headers: { cookie: `${name}=${inHeader}` } })).status).toBe(303);
    expect(app.reports).toEqual([]);
  });
});
