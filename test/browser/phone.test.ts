/** From the link to the result on the smallest phone, in as few screens as can be, with the decision always in view. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCREENS, signIn } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { BOTH, expectBarInView, fillForm, FORM, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

test("a link opened signed out leads through sign-in to the same approval, its decision and its result, in three screens", async () => {
  const { id, url } = await stage.ask();
  const page = await stage.stranger({ viewport: SCREENS.small, isMobile: true, hasTouch: true });
  const screens: string[] = [];
  page.on("framenavigated", (frame) => void screens.push(new URL(frame.url()).pathname));
  await page.goto(url);
  expect(await page.locator("body").innerText()).not.toContain("Deploy to production");
  await signIn(page);
  await page.waitForURL(url);
  await page.getByRole("button", { name: /^Submit/ }).waitFor();
  expect(await page.locator("main").innerText()).toContain('"prod"');
  await expectBarInView(page);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: /^Submit/ }).tap();
  await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  expect(screens).toEqual(["/signin", "/review", "/review"]);
  expect(await stage.approvals.status(id)).toMatchObject({ status: "submitted" });
  await page.context().close();
});

test("with a form it takes one screen more: what the agent will receive, and Confirm", async () => {
  const { id, url } = await stage.ask(FORM);
  const page = await stage.stranger({ viewport: SCREENS.small, isMobile: true, hasTouch: true });
  const screens: string[] = [];
  page.on("framenavigated", (frame) => void screens.push(new URL(frame.url()).pathname));
  await page.goto(url);
  await signIn(page);
  await page.waitForURL(url);
  await expectBarInView(page);
  await fillForm(page);
  await expectBarInView(page);
  await page.getByRole("button", { name: /^Submit/ }).tap();
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  expect(await page.locator("main").innerText()).toContain('"confidence": 80');
  await expectBarInView(page);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).tap();
  await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  expect(screens).toEqual(["/signin", "/review", "/confirm", "/review"]);
  expect(await stage.approvals.result(id)).toMatchObject({ answerText: '{"approver":"Anna Berg","confidence":80}' });
  await page.context().close();
});

test("[BR 133] however much an agent sends, the decision stays in view: portrait, landscape, and at 200 % zoom", async () => {
  const fields = Array.from({ length: 50 }, (_, index) => [
    `field_${index}`,
    { type: "string", title: `Field number ${index}` },
  ]);
  const { url } = await stage.ask({
    message: "A very long message. ".repeat(190),
    context: JSON.stringify({ blob: "x".repeat(150_000), lines: Array.from({ length: 900 }, (_, index) => index) }),
    requestedSchema: { type: "object", properties: Object.fromEntries(fields) },
    labels: { submit: "W".repeat(40), decline: "M".repeat(40) },
  });
  const page = await stage.signedIn({ viewport: SCREENS.small });
  await page.goto(url);
  for (const size of [SCREENS.small, { width: 568, height: 320 }, { width: 195, height: 422 }, SCREENS.desktop]) {
    await page.setViewportSize(size);
    await expectBarInView(page);
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await expectBarInView(page);
    await page.evaluate("window.scrollTo(0, 0)");
  }
  await page.context().close();
});

test("[BR 133] the confirm page holds its bar in view as well, with a long answer, a long payload and a long comment", async () => {
  const { url } = await stage.ask({
    message: "Long",
    context: JSON.stringify(Array.from({ length: 200 }, (_, index) => `line ${index}`)),
    requestedSchema: { type: "object", properties: { story: { type: "string" } } },
  });
  const page = await stage.signedIn({ viewport: SCREENS.small });
  await page.goto(url);
  await page.getByLabel("story").fill("All work and no play. ".repeat(300));
  await page.getByText("Add a comment").click();
  await page.locator("textarea[name=comment]").fill("A comment of many words. ".repeat(60));
  await expectBarInView(page);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  for (const size of [SCREENS.small, { width: 568, height: 320 }, { width: 160, height: 284 }]) {
    await page.setViewportSize(size);
    await expectBarInView(page);
  }
  await page.context().close();
});

/** Links within a sentence and the folds of the payload's lines are text; everything else is for a finger. */
const TARGETS =
  "button:not(.no-default), a.button, .inbox li, .pages a, .brand, summary:not(.line), select, textarea, .option, " +
  "input:not([type=hidden], [type=radio], [type=checkbox])";

test("whatever is there to be touched is at least 44 pixels high, on every page", async () => {
  const page = await stage.signedIn({ viewport: SCREENS.small });
  const stranger = await stage.stranger({ viewport: SCREENS.small });
  async function expectTouchable(on: typeof page, where: string): Promise<void> {
    const small: string[] = [];
    for (const target of await on.locator(TARGETS).filter({ visible: true }).all()) {
      const box = (await target.boundingBox())!;
      if (box.height < 44) small.push(`${where}: ${await target.innerText()} ${box.height}`);
    }
    expect(small).toEqual([]);
    expect(
      await on.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
      where,
    ).toBeLessThanOrEqual(0);
  }
  await stranger.goto(`${stage.server.url}/signin`);
  await expectTouchable(stranger, "sign-in");
  await stranger.goto(`${stage.server.url}/nowhere`);
  await expectTouchable(stranger, "not found");
  const { url } = await stage.ask(BOTH);
  await page.goto(stage.server.url);
  await expectTouchable(page, "inbox");
  await page.goto(url);
  await page.getByText("Add a comment").click();
  await page.getByText("About this request").click();
  await expectTouchable(page, "review");
  await fillForm(page);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  await expectTouchable(page, "confirm");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.locator("#result").waitFor();
  await expectTouchable(page, "result");
  await page.context().close();
  await stranger.context().close();
});
