/** Pressing twice, in two tabs, and too late: one decision, and words that say whose and when. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPage, signIn } from "../support/browser.ts";
import { openTestApp } from "../support/app.ts";
import { PASSWORD } from "../support/server.ts";
import { CONTEXT, fillForm, FORM, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.server.reviewer("Bert");
});
afterAll(() => stage[Symbol.asyncDispose]());

const SUBMIT = { name: /^Submit/ } as const;
const DECLINE = { name: /^Decline/ } as const;

async function password(page: Page): Promise<void> {
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
}

describe("a real double click", () => {
  test.each([true, false])(
    "shows the result and no error, and decides once; with scripts: %s [BR 60]",
    async (scripts) => {
      const { id, url } = await stage.ask();
      const page = await stage.signedIn({ javaScriptEnabled: scripts });
      const refused: number[] = [];
      page.on("response", (response) => void (response.status() >= 400 && refused.push(response.status())));
      await page.goto(url);
      await password(page);
      await page.getByRole("button", SUBMIT).dblclick({ delay: 20 });
      await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
      expect(await page.locator(".errors").filter({ visible: true }).count()).toBe(0);
      expect(await page.locator("main").innerText()).not.toContain("changed nothing");
      expect(refused).toEqual([]);
      expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ decision: "submitted" }] });
      await page.context().close();
    },
  );

  test("on Confirm sends the form once [BR 60]", async () => {
    const { id, url } = await stage.ask(FORM);
    const page = await stage.signedIn();
    await page.goto(url);
    await fillForm(page);
    await page.getByRole("button", SUBMIT).click();
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    await password(page);
    await page.getByRole("button", { name: "Confirm" }).dblclick({ delay: 20 });
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ decision: "submitted" }] });
    await page.context().close();
  });
});

describe("two tabs of one request", () => {
  test("after a press in one, the other shows who decided what and when, whatever is pressed there [BR 63]", async () => {
    const { id, url } = await stage.ask();
    const first = await stage.signedIn();
    const second = await first.context().newPage();
    await second.goto(url);
    await password(second);
    await expect.poll(() => second.getByRole("button", DECLINE).isEnabled()).toBe(true);
    await first.goto(url);
    await password(first);
    await first.getByRole("button", SUBMIT).click();
    const heading = await first.getByRole("heading", { name: /^Submitted by Anna/ }).innerText();
    await second.bringToFront();
    await second.getByRole("button", DECLINE).click();
    await second.getByText("Your press changed nothing").waitFor();
    expect(await second.getByRole("heading", { level: 1 }).innerText()).toBe(heading);
    expect(heading).toMatch(/^Submitted by Anna at \d\d:\d\d:\d\d UTC on \d{1,2} \w+ \d{4}$/);
    expect(await stage.approvals.status(id)).toMatchObject({ decision: "submitted" });
    await first.context().close();
  });

  test("a colleague who presses the same button later is told that it was not theirs [BR 63]", async () => {
    const { id, url } = await stage.ask();
    const bert = await stage.stranger();
    await bert.goto(url);
    await signIn(bert, "Bert");
    await bert.waitForURL(url);
    const anna = await stage.signedIn();
    await anna.goto(url);
    await password(anna);
    await anna.getByRole("button", SUBMIT).click();
    await anna.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    await password(bert);
    await bert.getByRole("button", SUBMIT).click();
    await bert.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await bert.locator("main").innerText()).toContain("Your press changed nothing");
    expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ reviewer: { name: "Anna" } }] });
    await anna.context().close();
    await bert.context().close();
  });

  test("a Confirm page whose request was canceled meanwhile says so", async () => {
    const { id, url } = await stage.ask(FORM);
    const page = await stage.signedIn();
    await page.goto(url);
    await fillForm(page);
    await page.getByRole("button", SUBMIT).click();
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    await stage.approvals.cancel(id, { reason: "superseded" });
    await password(page);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: /^Canceled by the requester/ }).waitFor();
    expect(await page.locator("main").innerText()).toContain("superseded");
    await page.context().close();
  });

  test("Back after deciding shows the result, and no second way to decide", async () => {
    const { url } = await stage.ask();
    const page = await stage.signedIn();
    await page.goto(stage.server.url);
    await page.goto(url);
    await password(page);
    await page.getByRole("button", DECLINE).click();
    await page.getByRole("heading", { name: /^Declined by Anna/ }).waitFor();
    await page.goBack();
    await page.goForward();
    await page.getByRole("heading", { name: /^Declined by Anna/ }).waitFor();
    expect(await page.locator("button[data-decision]").count()).toBe(0);
    await page.context().close();
  });
});

describe("past the deadline", () => {
  test("a page that was left open is refused with the time of expiry, and nothing is approved [BR 65]", async () => {
    await using app = await openTestApp({ listen: true });
    const { approvals, page, url, id } = await openOld(app);
    await app.clock.advance(1_200_000);
    await password(page);
    await page.getByRole("button", SUBMIT).click();
    await page.getByRole("heading", { name: "Expired at 12:20:00 UTC on 30 November 2026" }).waitFor();
    expect(await page.locator("main").innerText()).toContain("Expiry never approves anything");
    expect(await page.locator("main").innerText()).toContain("Your press changed nothing");
    expect(await approvals.status(id)).toMatchObject({ status: "expired" });
    await page.goto(url);
    expect(await page.locator("button[data-decision]").count()).toBe(0);
    expect(app.reports).toEqual([]);
    await page.context().close();
  });

  test("a page that was out of sight while time ran out stops offering a decision by itself [BR 71]", async () => {
    await using app = await openTestApp({ listen: true });
    const { page } = await openOld(app, { fakeTime: true });
    expect(await page.locator(".bar-facts").innerText()).toContain("expires in 19 min");
    await app.clock.advance(10 * 60_000);
    await page.clock.fastForward(10 * 60_000);
    expect(await page.locator(".bar-facts").innerText()).toContain("expires in 9 min");
    await app.clock.advance(12 * 60_000);
    await page.clock.fastForward(12 * 60_000);
    await page.getByRole("heading", { name: /^Expired at/ }).waitFor();
    expect(await page.title()).toMatch(/^Expired/);
    await page.context().close();
  });

  test("after hours, when the session is over as well, it leads by sign-in to what became of the request [BR 71]", async () => {
    await using app = await openTestApp({ listen: true });
    const { page, approvals, id } = await openOld(app);
    await app.clock.advance(13 * 3_600_000);
    await password(page);
    await page.getByRole("button", SUBMIT).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await signIn(page);
    await page.getByRole("heading", { name: /^Expired at/ }).waitFor();
    expect(await approvals.status(id)).toMatchObject({ status: "expired" });
    await page.context().close();
  });
});

/** A request that lasts twenty minutes, open in a browser, under a clock that only the test moves. */
async function openOld(app: Awaited<ReturnType<typeof openTestApp>>, { fakeTime = false } = {}) {
  const operating = app.engine.operating("test");
  await operating.addReviewer({ name: "Anna", password: PASSWORD });
  const agent = await app.engine.authenticate((await operating.addAgent({ name: "deployer" })).token);
  const approvals = app.engine.approvalsOf(agent!);
  const { id } = await approvals.request({ ...CONTEXT, expiresInSeconds: 1_200 });
  const url = `${app.origin}/review?elicitationId=${id}`;
  const { page } = await openPage(stage.browser);
  if (fakeTime) await page.clock.install();
  await page.goto(url);
  await signIn(page);
  await page.waitForURL(url);
  return { approvals, page, url, id };
}
