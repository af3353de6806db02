/** From the link to the result on the smallest phone, in as few screens as can be, with the decision always in view. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCREENS, signIn } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { expectBarInView, fillForm, FORM, openStage, type Stage } from "./stage.ts";

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
