/** What the scripts add, in a real Chromium: no press by accident, one press at most, nothing left in the address. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Approvals } from "../../src/approval/approvals.ts";
import { launchBrowser, openPage, SCREENS, signIn } from "../support/browser.ts";
import { PASSWORD, startTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let browser: Browser;
let agent: Approvals;
let page: Page;

beforeAll(async () => {
  server = await startTestServer();
  browser = await launchBrowser();
  const { code } = await server.engine.operating("test").newSetupCode();
  ({ page } = await openPage(browser, { viewport: SCREENS.small }));
  await page.goto(`${server.url}/setup#code=${code}`);
  const owner = await server.engine.authenticate(await server.agent());
  if (owner === undefined) throw new Error("the agent that was added is not known");
  agent = server.engine.approvalsOf(owner);
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

async function ask(input: Parameters<Approvals["request"]>[0] = {}): Promise<{ id: string; url: string }> {
  const { id } = await agent.request({ message: "Deploy to production", context: '{"target":"prod"}', ...input });
  return { id, url: `${server.url}/review?elicitationId=${id}` };
}

describe("setup", () => {
  test("the code in the fragment is filled in and taken out of the address", async () => {
    expect(await page.getByLabel("Setup code").inputValue()).toMatch(/^\w{5}-\w{5}-\w{5}$/);
    expect(page.url()).toBe(`${server.url}/setup`);
    await page.getByLabel("Name", { exact: true }).fill("Anna");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Use a password" }).click();
    await page.waitForURL(`${server.url}/`);
  });
});

describe("the decision buttons", () => {
  test("are not armed at once, and are after half a second in view [BR 215] [BR 216]", async () => {
    const { url } = await ask();
    await page.goto(url, { waitUntil: "domcontentloaded" });
    const submit = page.getByRole("button", { name: /^Submit/ });
    expect(await submit.isDisabled()).toBe(true);
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await expect.poll(() => submit.isEnabled()).toBe(true);
  });

  test("Enter in a field decides nothing, with and without scripts [BR 215]", async () => {
    const { id, url } = await ask({ requestedSchema: { type: "object", properties: { why: { type: "string" } } } });
    const { page: bare, context } = await openPage(browser, {
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    for (const one of [page, bare]) {
      await one.goto(url);
      if (one === page) await expect.poll(() => one.getByRole("button", { name: /^Submit/ }).isEnabled()).toBe(true);
      await one.getByLabel("why").press("Enter");
      await one.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await one.getByLabel("Password", { exact: true }).press("Enter");
      await one.reload();
      expect(await one.title()).toMatch(/^Pending/);
    }
    expect(await agent.status(id)).toMatchObject({ status: "pending" });
    await context.close();
  });

  test("stay inside the smallest screen, also where the page is long and the comment is open [BR 133]", async () => {
    const { url } = await ask({ context: JSON.stringify(Array.from({ length: 300 }, (_, n) => `line ${n}`)) });
    await page.goto(url);
    await page.getByText("Add a comment").click();
    for (const size of [SCREENS.small, { width: 568, height: 320 }, { width: 160, height: 284 }]) {
      await page.setViewportSize(size);
      for (const name of [/^Submit/, /^Decline/]) {
        const box = await page.getByRole("button", { name }).boundingBox();
        expect(box, `${size.width}×${size.height}`).not.toBeNull();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
        expect(box?.height).toBeGreaterThanOrEqual(44);
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(size.width);
    }
    await page.setViewportSize(SCREENS.small);
  });

  test("a real double click shows the result and no error, and the focus is on it [BR 60] [BR 219]", async () => {
    const { id, url } = await ask();
    await page.goto(url);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: /^Submit/ }).dblclick({ delay: 20 });
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("result");
    expect(await agent.status(id)).toMatchObject({ status: "submitted" });
  });

  test("a page that comes back after its deadline reads itself again [BR 71]", async () => {
    const { url } = await ask();
    await page.goto(url);
    await agent.cancel(url.slice(-36));
    await page.evaluate('document.body.dataset.expires = "1"; document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByRole("heading", { name: /^Canceled by the requester/ }).waitFor();
  });
});

test("the strict policy is broken by no page, and nothing is fetched from elsewhere", async () => {
  const { context, page: visitor } = await openPage(browser);
  const trouble: string[] = [];
  visitor.on("console", (message) => void (message.type() === "error" && trouble.push(message.text())));
  visitor.on("pageerror", (error) => void trouble.push(error.message));
  visitor.on("request", (request) => void (request.url().startsWith(server.url) || trouble.push(request.url())));
  const { url } = await ask({ requestedSchema: { type: "object", properties: { why: { type: "string" } } } });
  await visitor.goto(url);
  await signIn(visitor);
  await visitor.waitForURL(url);
  await visitor.getByRole("button", { name: /^Submit/ }).click();
  await visitor.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await visitor.getByRole("button", { name: "Confirm" }).click();
  await visitor.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  expect(trouble).toEqual([]);
  await context.close();
});
