/** The way to a request and back to it, and its times, in browsers anywhere in the world. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp } from "../support/app.ts";
import { openPage, signIn } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { CONTEXT, openStage, type Stage } from "./stage.ts";

const AWAY = [
  "//evil.invalid/x",
  "/\\evil.invalid/x",
  "/..//evil.invalid",
  "/%5cevil.invalid",
  "https://evil.invalid/",
  "/x%0d%0aLocation:https://evil.invalid",
  "javascript:document.title='taken'",
  "/\t/evil.invalid",
];

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("signing in leads back", () => {
  test("to the same path, query and fragment [BR 171]", async () => {
    const { url } = await stage.ask();
    const page = await stage.stranger();
    await page.goto(`${url}&from=chat#main`);
    await signIn(page);
    await page.getByRole("button", { name: /^Submit/ }).waitFor();
    expect(page.url()).toBe(`${url}&from=chat#main`);
    await page.context().close();
  });

  test("each tab to its own request, with nothing kept in the browser's storage [BR 172]", async () => {
    const [one, two] = [await stage.ask(), await stage.ask({ message: "The other one", context: "1" })];
    const first = await stage.stranger();
    const second = await first.context().newPage();
    await first.goto(one.url);
    await second.goto(two.url);
    for (const tab of [first, second])
      expect(await tab.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    expect(await first.context().cookies()).toEqual([]);
    await signIn(first);
    await first.waitForURL(one.url);
    await signIn(second);
    await second.waitForURL(two.url);
    await first.context().close();
  });

  test("also after a wrong password, and without scripts [BR 171]", async () => {
    const { url } = await stage.ask();
    const page = await stage.stranger({ javaScriptEnabled: false });
    await page.goto(url);
    await signIn(page, "Anna", "not this one");
    await signIn(page);
    expect(page.url()).toBe(url);
    await page.context().close();
  });

  test("never to another place, however it is written: to the inbox instead [BR 173]", async () => {
    const page = await stage.stranger();
    const elsewhere: string[] = [];
    page.on("request", (request) => void (request.url().startsWith(stage.server.url) || elsewhere.push(request.url())));
    for (const returnTo of AWAY) {
      await page.context().clearCookies();
      await page.goto(`${stage.server.url}/signin?returnTo=${encodeURIComponent(returnTo)}`);
      await signIn(page);
      await page.getByRole("heading", { name: /^(Waiting for you|Nothing is waiting)$/ }).waitFor();
      expect(page.url(), returnTo).toBe(`${stage.server.url}/`);
    }
    expect(elsewhere).toEqual([]);
    await page.context().close();
  });
});

describe("times", () => {
  test.each(["Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati"])(
    "are the same instants, with their zone, for a reader in %s [BR 191] [BR 193] [BR 196]",
    async (timezoneId) => {
      await using app = await openTestApp({ listen: true });
      const operating = app.engine.operating("test");
      await operating.addReviewer({ name: "Anna", password: PASSWORD });
      const agent = await app.engine.authenticate((await operating.addAgent({ name: "deployer" })).token);
      // The clock stands at noon UTC on 30 November 2026: the deadline is half an hour past midnight.
      const { id } = await app.engine.approvalsOf(agent!).request({ ...CONTEXT, expiresInSeconds: 45_000 });
      const url = `${app.origin}/review?elicitationId=${id}`;
      const { page } = await openPage(stage.browser, { timezoneId, locale: "en-US" });
      await page.goto(url);
      await signIn(page);
      await page.waitForURL(url);
      await page.getByText("About this request").click();
      const facts = await page.locator(".facts-list").innerText();
      expect(facts).toContain("12:00:00 UTC on 30 November 2026");
      expect(facts).toContain("00:30:00 UTC on 1 December 2026");
      expect(facts).toContain("(in 12 hours)");
      await page.goto(app.origin);
      expect(await page.locator("main").innerText()).toContain("00:30:00 UTC on 1 December 2026");
      await page.goto(url);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: /^Decline/ }).click();
      await page.getByRole("heading", { name: "Declined by Anna at 12:00:00 UTC on 30 November 2026" }).waitFor();
      await page.context().close();
    },
  );
});
