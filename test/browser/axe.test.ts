/** axe-core finds nothing on any page, in any state, in either theme. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPage, SCREENS, signIn } from "../support/browser.ts";
import { PASSWORD, startTestServer } from "../support/server.ts";
import { BOTH, CONTEXT, fillForm, FORM, openStage, type Stage } from "./stage.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

async function expectClean(page: Page, state: string): Promise<void> {
  await page.evaluate(AXE);
  const findings = await page.evaluate<readonly Finding[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  const told = findings.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary ?? ""}`).join(" | ")}`,
  );
  expect(told, state).toEqual([]);
}

const EVERY_FIELD = {
  type: "object",
  properties: {
    text: { type: "string", title: "A text", description: "Described", minLength: 2, maxLength: 20 },
    mail: { type: "string", format: "email" },
    link: { type: "string", format: "uri" },
    day: { type: "string", format: "date" },
    moment: { type: "string", format: "date-time" },
    number: { type: "number", minimum: 0, maximum: 10 },
    whole: { type: "integer", default: 3 },
    sure: { type: "boolean" },
    quiet: { type: "boolean", default: false },
    size: { type: "string", enum: ["s", "m", "l"] },
    plan: {
      type: "string",
      oneOf: [
        { const: "a", title: "First" },
        { const: "b", title: "Second" },
      ],
      default: "b",
    },
    many: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["x", "y", "z"] } },
    long: { type: "string", enum: Array.from({ length: 12 }, (_, index) => `choice ${index}`) },
  },
  required: ["text", "sure", "many"],
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ "expires-min-seconds": "1" });
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  const options = { colorScheme, bypassCSP: true, viewport: SCREENS.phone } as const;

  test("sign-in, as it opens and after a wrong password", async () => {
    const page = await stage.stranger(options);
    await page.goto(`${stage.server.url}/signin`);
    await expectClean(page, "sign-in");
    await signIn(page, "Anna", "not the right one");
    await page.getByText("The name or the password is not right").waitFor();
    await expectClean(page, "sign-in refused");
    await page.context().close();
  });

  test("setup: open, with a wrong code, and over", async () => {
    await using fresh = await startTestServer();
    const { page, context } = await openPage(stage.browser, options);
    await page.goto(`${fresh.url}/setup`);
    await expectClean(page, "setup open");
    await page.getByLabel("Setup code").fill("AAAAA-AAAAA-AAAAA");
    await page.getByLabel("Name", { exact: true }).fill("Anna");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Use a password" }).click();
    await page.getByText("This code is wrong").first().waitFor();
    await expectClean(page, "setup with a wrong code");
    await page.goto(`${fresh.url}/signin`);
    await expectClean(page, "sign-in while nobody is enrolled");
    await page.goto(`${stage.server.url}/setup`);
    await expectClean(page, "setup over");
    await context.close();
  });

  test("review in every mode, with odd payloads, invalid answers and a wrong password; confirm", async () => {
    const page = await stage.signedIn(options);
    const inputs = [
      CONTEXT,
      FORM,
      BOTH,
      { message: "Every kind of field\u202E and a mark", requestedSchema: EVERY_FIELD },
      { message: "Odd", context: '"a single string"' },
      { message: "Odd", context: "null" },
      { message: "Odd", context: '{"deep":[[[{"a":"\u202E\u200B","b":[]}]]],"empty":{}}' },
      { message: "Large", context: JSON.stringify(Array.from({ length: 3_000 }, (_, index) => index)) },
      { message: "Template", context: "1", displayTemplate: "<b>{{ context }}</b>" },
    ];
    for (const input of inputs) {
      await page.goto((await stage.ask(input)).url);
      await expectClean(page, `review: ${JSON.stringify(input).slice(0, 60)}`);
    }
    const { url } = await stage.ask(BOTH);
    await page.goto(url);
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByText(/things need your attention/).waitFor();
    await expectClean(page, "review with invalid answers");
    await fillForm(page);
    await page.getByText("Add a comment").click();
    await page.locator("textarea[name=comment]").fill("A comment.");
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    await page.getByText("With the payload that you have read").click();
    await expectClean(page, "confirm");
    await page.getByLabel("Password", { exact: true }).fill("not the right one");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("The password is not right").first().waitFor();
    await expectClean(page, "confirm with a wrong password");
    await page.context().close();
  });

  test("a wrong password in JSON mode, and a confirmation that is over", async () => {
    const page = await stage.signedIn(options);
    await page.goto((await stage.ask()).url);
    await page.getByLabel("Password", { exact: true }).fill("not the right one");
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByText("The password is not right").first().waitFor();
    await expectClean(page, "review with a wrong password");

    const { url } = await stage.ask(FORM);
    await page.goto(url);
    await fillForm(page);
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    const confirm = page.url();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.locator("#result").waitFor();
    await page.goto(confirm);
    await expectClean(page, "confirmation that is over");
    await page.context().close();
  });

  test("results: submitted, declined, canceled, expired, and a lost race", async () => {
    const page = await stage.signedIn(options);
    for (const decision of ["Submit", "Decline"]) {
      await page.goto((await stage.ask()).url);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: new RegExp(`^${decision}`) }).click();
      await page.locator("#result").waitFor();
      await expectClean(page, `result of ${decision}`);
    }
    const lost = await stage.ask();
    await page.goto(lost.url);
    await stage.approvals.cancel(lost.id, { reason: "not needed any more" });
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.getByRole("heading", { name: /^Canceled by the requester/ }).waitFor();
    await expectClean(page, "lost race");
    await page.goto(lost.url);
    await expectClean(page, "canceled");
    const short = await stage.ask({ ...CONTEXT, expiresInSeconds: 1 });
    await expect.poll(async () => (await stage.approvals.status(short.id)).status).toBe("expired");
    await page.goto(short.url);
    await page.getByRole("heading", { name: /^Expired/ }).waitFor();
    await expectClean(page, "expired");
    await page.context().close();
  });

  test("the inbox, full and empty, and the pages for what is not there", async () => {
    const page = await stage.signedIn(options);
    await stage.ask();
    await page.goto(stage.server.url);
    await expectClean(page, "inbox");
    for (let index = 0; index < 26; index += 1) await stage.ask();
    await page.goto(stage.server.url);
    await page.getByRole("link", { name: "Older requests" }).waitFor();
    await expectClean(page, "inbox of several pages");
    await page.getByRole("link", { name: "Older requests" }).click();
    await page.getByRole("link", { name: "Back to the newest" }).waitFor();
    await expectClean(page, "inbox, a further page");
    // The last one is only posted to: 405.
    for (const path of ["/review?elicitationId=nothing", "/nowhere", "/confirm?intent=gone", "/signout"]) {
      await page.goto(stage.server.url + path);
      await expectClean(page, path);
    }
    await page.context().close();
    await using fresh = await startTestServer();
    await fresh.reviewer("Anna");
    const { page: other, context } = await openPage(stage.browser, options);
    await other.goto(fresh.url);
    await signIn(other);
    await other.getByText("Nothing is waiting").waitFor();
    await expectClean(other, "empty inbox");
    await context.close();
  });
});
