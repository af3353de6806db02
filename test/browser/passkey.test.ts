/** Deciding with a passkey: one touch, and what happens when the touch does not come off. */
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addAuthenticator, openPage } from "../support/browser.ts";
import { CONTEXT, fillForm, FORM, openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;
let session: CDPSession;
let authenticatorId: string;

beforeAll(async () => {
  stage = await openStage({}, { enrol: false });
  ({ page } = await openPage(stage.browser));
  ({ session, authenticatorId } = await addAuthenticator(page));
  const { code } = await stage.server.engine.operating("test").newSetupCode();
  await page.goto(`${stage.server.url}/setup#code=${code}`);
  await page.getByLabel("Name", { exact: true }).fill("Petra");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(`${stage.server.url}/`);
});
afterAll(() => stage[Symbol.asyncDispose]());

async function verifies(isUserVerified: boolean): Promise<void> {
  await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
}

async function touches(enabled: boolean): Promise<void> {
  await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
}

test("signing in again with the passkey leads back to the request, and one touch decides it as user-verified", async () => {
  await page.getByRole("button", { name: "Sign out" }).click();
  const { id, url } = await stage.ask();
  await page.goto(url);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(url);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("heading", { name: /^Submitted by Petra/ }).waitFor();
  expect(await page.locator("main").innerText()).toContain("proved with a passkey");
  expect(await page.evaluate("document.activeElement.id")).toBe("result");
  expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ assurance: "user-verified" }] });
});

test("a form is declined by one touch on its own page, and submitted by one on the confirm page", async () => {
  const declined = await stage.ask(FORM);
  await page.goto(declined.url);
  await page.getByRole("button", { name: /^Decline/ }).click();
  await page.getByRole("heading", { name: /^Declined by Petra/ }).waitFor();
  const submitted = await stage.ask(FORM);
  await page.goto(submitted.url);
  await fillForm(page);
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: /^Submitted by Petra/ }).waitFor();
  expect(await stage.approvals.result(submitted.id)).toMatchObject({
    answerText: '{"approver":"Anna Berg","confidence":80}',
    decisions: [{ assurance: "user-verified" }],
  });
});

test("an authenticator that cannot tell who touches it decides nothing, says so, and leaves the page usable", async () => {
  const { id, url } = await stage.ask();
  await verifies(false);
  try {
    await page.goto(url);
    await page.getByRole("button", { name: /^Submit/ }).click();
    const alert = page.locator("#script-alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain("Nothing was decided.");
    expect(await page.evaluate("document.activeElement.id")).toBe("script-alert");
    expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
  } finally {
    await verifies(true);
  }
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("heading", { name: /^Submitted by Petra/ }).waitFor();
});

test("a prompt that is left keeps the request pending, and the page with its comment usable", async () => {
  const { id, url } = await stage.ask(CONTEXT);
  await touches(false);
  try {
    await page.goto(url);
    await page.getByText("Add a comment").click();
    await page.locator("textarea[name=comment]").fill("Checked the order.");
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.locator("form#decide[data-busy]").waitFor();
    // The prompt is open and nobody touches anything; a further press starts no second one.
    await page.getByRole("button", { name: /^Decline/ }).click({ force: true });
    // What the browser does when a person closes the prompt.
    await page.evaluate("SimpleWebAuthnBrowser.WebAuthnAbortService.cancelCeremony()");
    await page.locator("#script-alert").waitFor();
    expect(await page.locator("#script-alert").innerText()).toContain("Nothing was decided.");
    expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
  } finally {
    await touches(true);
  }
  expect(await page.locator("textarea[name=comment]").inputValue()).toBe("Checked the order.");
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("heading", { name: /^Submitted by Petra/ }).waitFor();
  expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ comment: "Checked the order." }] });
});

test("a real double click on a passkey page asks for one touch and decides once", async () => {
  const { id, url } = await stage.ask();
  await page.goto(url);
  await page.getByRole("button", { name: /^Submit/ }).dblclick({ delay: 20 });
  await page.getByRole("heading", { name: /^Submitted by Petra/ }).waitFor();
  expect(await stage.approvals.result(id)).toMatchObject({ decisions: [{ decision: "submitted" }] });
});

test("without scripts a person who has only a passkey is told what to do, and nothing is decided", async () => {
  const { id, url } = await stage.ask();
  const bare = await stage.stranger({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  await bare.goto(url);
  expect(await bare.locator("main").innerText()).toContain("Passkeys need scripts");
  await bare.getByRole("button", { name: /^Submit/ }).click();
  expect(await bare.locator("main").innerText()).toContain("Nothing was decided. Turn scripts on");
  expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
  await bare.context().close();
});
