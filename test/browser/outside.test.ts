/** What agents and people write stays text, is seen whole, and reaches no other place. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCREENS, signIn } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { CONTEXT, expectBarInView, fillForm, FORM, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const TAG = '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>';
const REORDERING = "invoice\u202Efdp.exe";

/** Everything that a page may do beyond showing itself: broken policies, faults, dialogs, requests to elsewhere. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    // A refused press is a failed load to the console; it is the page's own answer and no fault.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) seen.push(message.text());
  });
  page.on("pageerror", (error) => void seen.push(error.message));
  page.on("dialog", (dialog) => void seen.push(`dialog ${dialog.message()}`));
  page.on("request", (request) => void (request.url().startsWith(stage.server.url) || seen.push(request.url())));
  return seen;
}

async function expectInert(page: Page): Promise<void> {
  expect(await page.title()).not.toBe("taken");
  expect(await page.locator("main img, main script, main a[href^='javascript:']").count()).toBe(0);
}

test("tags and reordering characters in every text an agent or a person writes stay text, with marks [BR 107]", async () => {
  const hostile = `${TAG} ${REORDERING} [x](javascript:alert(1)) ![](https://tracker.invalid/p.png)`;
  const { id, url } = await stage.ask({
    message: hostile,
    context: JSON.stringify({ [TAG]: hostile, nested: { text: hostile } }),
    requestedSchema: {
      type: "object",
      title: hostile,
      description: hostile,
      properties: {
        [TAG]: { type: "string", title: hostile, description: hostile },
        pick: {
          type: "string",
          oneOf: [
            { const: TAG, title: hostile },
            { const: "b", title: "b" },
          ],
          title: hostile,
        },
        long: { type: "string", enum: Array.from({ length: 9 }, (_, index) => `${TAG}${index}`) },
      },
    },
    labels: { submit: "<b>Go</b>", decline: '"><script>' },
  });
  const page = await stage.signedIn({ viewport: SCREENS.small });
  const seen = watch(page);
  await page.goto(stage.server.url);
  await expectInert(page);
  await page.goto(url);
  await expectInert(page);
  const text = await page.locator("main").innerText();
  expect(text).toContain(TAG);
  expect(text).toContain("⟦U+202E⟧");
  expect(text).not.toContain("\u202E");
  await expectBarInView(page);
  expect(await page.getByRole("button", { name: /^<b>Go<\/b> submit/ }).innerText()).toContain("<b>Go</b>");

  await page.locator("#answer-0").fill(hostile);
  await page.getByText("Add a comment").click();
  await page.locator("textarea[name=comment]").fill(hostile);
  await page.getByRole("button", { name: /^<b>Go/ }).click();
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  await expectInert(page);
  expect(await page.locator("main").innerText()).toContain("⟦U+202E⟧");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  await expectInert(page);
  expect(await page.locator("main").innerText()).toContain("⟦U+202E⟧");
  expect(seen).toEqual([]);
  expect(await stage.approvals.result(id)).toMatchObject({
    answerText: JSON.stringify({ [TAG]: hostile }),
    decisions: [{ comment: hostile }],
  });
  await page.context().close();
});

test("a reason for canceling is text as well", async () => {
  const { id, url } = await stage.ask();
  await stage.approvals.cancel(id, { reason: `${TAG} ${REORDERING}` });
  const page = await stage.signedIn();
  const seen = watch(page);
  await page.goto(url);
  await expectInert(page);
  expect(await page.locator("main").innerText()).toContain(`${TAG} invoice⟦U+202E⟧fdp.exe`);
  expect(seen).toEqual([]);
  await page.context().close();
});

test("thousands of line breaks push nothing out of sight: they are counted [BR 109]", async () => {
  const { url } = await stage.ask({
    message: `Delete one row${"\n".repeat(3_900)}and the rest of the table`,
    requestedSchema: {
      type: "object",
      properties: { why: { type: "string", title: "Why", description: `above${"\n".repeat(5_000)}below` } },
    },
  });
  const page = await stage.signedIn({ viewport: SCREENS.small });
  await page.goto(url);
  const text = await page.locator("main").innerText();
  expect(text).toContain("⟦3,900 line breaks⟧");
  expect(text).toContain("and the rest of the table");
  expect(text).toContain("⟦5,000 line breaks⟧");
  expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(3_000);
  await expectBarInView(page);
  await page.context().close();
});

test("numbers stand there as they were written [BR 104]", async () => {
  const { url } = await stage.ask({
    message: "Pay",
    context: '{"one":1.0,"hundred":1e2,"tenth":0.10,"minus":-0,"price":19.99}',
  });
  const page = await stage.signedIn();
  await page.goto(url);
  const text = await page.locator(".json").innerText();
  for (const line of ['"one": 1.0,', '"hundred": 1e2,', '"tenth": 0.10,', '"minus": -0,', '"price": 19.99'])
    expect(text).toContain(line);
  await page.context().close();
});

test("no page breaks its own policy or asks another origin for anything", async () => {
  const page = await stage.stranger();
  const seen = watch(page);
  const { url } = await stage.ask(FORM);
  await page.goto(url);
  await signIn(page, "Anna", "a wrong password");
  await page.getByText("The name or the password is not right").waitFor();
  await signIn(page);
  await page.waitForURL(url);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByText(/things need your attention/).waitFor();
  await fillForm(page);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByLabel("Password", { exact: true }).fill("a wrong password");
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("The password is not right").first().waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  const canceled = await stage.ask(CONTEXT);
  await stage.approvals.cancel(canceled.id);
  for (const path of ["/", canceled.url, "/setup", "/nowhere", "/signout", "/confirm?intent=gone"])
    await page.goto(new URL(path, stage.server.url).href);
  await page.goto(stage.server.url);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(seen).toEqual([]);
  await page.context().close();
});
