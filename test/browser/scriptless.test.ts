/** Deciding without scripts in all three modes: nothing but passkeys needs them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { fillForm, FORM, MODES, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("without scripts", () => {
  test.each(MODES)("$mode is signed in to, read and submitted", async ({ input, hasForm }) => {
    const { id, url } = await stage.ask(input);
    const page = await stage.stranger({ javaScriptEnabled: false });
    await page.goto(url);
    await signIn(page);
    await page.getByRole("button", { name: /^Submit/ }).waitFor();
    if (hasForm) await fillForm(page);
    else await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: /^Submit/ }).click();
    if (hasForm) {
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Confirm" }).click();
    }
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await stage.approvals.status(id)).toMatchObject({ status: "submitted" });
    await page.context().close();
  });

  test("a decline takes one press, with its comment", async () => {
    const { id, url } = await stage.ask(FORM);
    const page = await stage.signedIn({ javaScriptEnabled: false });
    await page.goto(url);
    await page.getByText("Add a comment").click();
    await page.locator("textarea[name=comment]").fill("Not on a Friday.\nAsk again on Monday.");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: /^Decline/ }).click();
    await page.getByRole("heading", { name: /^Declined by Anna/ }).waitFor();
    expect(await stage.approvals.result(id)).toMatchObject({
      decision: "declined",
      answerText: null,
      decisions: [{ comment: "Not on a Friday.\nAsk again on Monday." }],
    });
    await page.context().close();
  });

  test("a wrong password and wrong answers keep what was typed, and say what to change", async () => {
    const { id, url } = await stage.ask(FORM);
    const page = await stage.signedIn({ javaScriptEnabled: false });
    await page.goto(url);
    await page.getByLabel("Your name").fill("A");
    await page.getByLabel("Confidence %").fill("101");
    await page.getByRole("button", { name: /^Submit/ }).click();
    expect(await page.getByLabel("Your name").inputValue()).toBe("A");
    expect(await page.getByLabel("Confidence %").inputValue()).toBe("101");
    expect(await page.locator("main").innerText()).toMatch(/2 things need your attention/);
    await fillForm(page);
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByLabel("Password", { exact: true }).fill("a wrong one");
    await page.getByRole("button", { name: "Confirm" }).click();
    expect(await page.locator("main").innerText()).toContain("The password is not right. Nothing was decided.");
    expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await stage.approvals.result(id)).toMatchObject({ answerText: '{"approver":"Anna Berg","confidence":80}' });
    await page.context().close();
  });
});
