/** Cookies are shared by every port of localhost: what another port sets beside ours must neither open nor lock anything. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await openTestApp();
  await app.engine.operating("test").addReviewer({ name: "Anna", password: PASSWORD });
  ({ cookie } = await app.signIn());
});
afterAll(() => app[Symbol.asyncDispose]());

const junk = () => `${cookie.split("=")[0]!}=${"A".repeat(43)}`;
const inbox = async (header: string) => (await app.fetch("/", { headers: { cookie: header } })).status;

test("a cookie of our name that another port set for a narrower path, and so comes first, does not keep the person out", async () => {
  expect(await inbox(`${junk()}; ${cookie}`)).toBe(200);
  expect(await inbox(`${cookie}; ${junk()}`)).toBe(200);
  expect(await inbox(`${cookie.split("=")[0]!}=; ${cookie}`)).toBe(200);
});

test("a great many of them are not all looked up", async () => {
  expect(await inbox([...Array<string>(100).fill(junk()), cookie].join("; "))).toBe(303);
});

test("signing out ends the session that counted", async () => {
  const { cookie: own, csrf } = await app.signIn();
  const both = `${junk()}; ${own}`;
  const form = new URLSearchParams({ csrf });
  const response = await app.fetch("/signout", {
    method: "POST",
    headers: { origin: app.origin, cookie: both },
    body: form,
  });
  expect(response.status).toBe(303);
  expect(await inbox(both)).toBe(303);
});
