/** Deciding without a mouse in all three modes; where the focus is, and what is read out. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCREENS } from "../support/browser.ts";
import { PASSWORD } from "../support/server.ts";
import { CONTEXT, fillForm, FORM, MODES, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Presses Tab until the focus is on what has this accessible name, as a person without a mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      `(() => { const one = document.activeElement; return one === null ? "" : (one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText ?? ""); })()`,
    );
    if (name.test(focused.trim())) return;
  }
  throw new Error(`no way by Tab to ${String(name)}`);
}

/** Waits until the buttons decide. */
async function armed(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole("button", { name: /^Submit/ }).isEnabled()).toBe(true);
}

describe("by keyboard alone", () => {
  test.each(MODES)("$mode is signed in to, read and submitted", async ({ input, hasForm }) => {
    const { id, url } = await stage.ask(input);
    const page = await stage.stranger();
    await page.goto(url);
    await tabTo(page, /^Name/);
    await page.keyboard.type("Anna");
    await tabTo(page, /^Password/);
    await page.keyboard.type(PASSWORD);
    await tabTo(page, /^Sign in$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Submit/ }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Submit/ }).isEnabled()).toBe(true);
    if (hasForm) {
      await tabTo(page, /^Your name/);
      await page.keyboard.type("Anna Berg");
      await tabTo(page, /^Confidence/);
      await page.keyboard.type("80");
    } else {
      await tabTo(page, /^Password/);
      await page.keyboard.type(PASSWORD);
    }
    await tabTo(page, /^Submit/);
    await page.keyboard.press(hasForm ? "Space" : "Enter");
    if (hasForm) {
      await page.getByRole("button", { name: "Confirm" }).waitFor();
      await tabTo(page, /^Password/);
      await page.keyboard.type(PASSWORD);
      // A button that is not armed yet is not on the way of Tab.
      await expect.poll(() => page.getByRole("button", { name: "Confirm" }).isEnabled()).toBe(true);
      await tabTo(page, /^Confirm/);
      await page.keyboard.press("Enter");
    }
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await stage.approvals.status(id)).toMatchObject({ status: "submitted" });
    await page.context().close();
  });

  test("no single key decides anything", async () => {
    const { id, url } = await stage.ask();
    const page = await stage.signedIn();
    await page.goto(url);
    await armed(page);
    for (const key of ["Enter", "Space", "y", "Y", "n", "a", "1", "2", "Escape", "s", "d", "Control+Enter"])
      await page.keyboard.press(key);
    await page.reload();
    expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
    await page.context().close();
  });

  test.each(MODES)(
    "Enter in any text field of $mode decides nothing, also on the confirm page [BR 215]",
    async (mode) => {
      const { id, url } = await stage.ask(mode.input);
      const page = await stage.signedIn();
      await page.goto(url);
      await armed(page);
      const posts: string[] = [];
      page.on("request", (request) => void (request.method() === "POST" && posts.push(request.url())));
      await page.getByText("Add a comment").click();
      if (mode.hasForm) await fillForm(page);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      const fields = mode.hasForm ? ["Your name", "Confidence %", "Password"] : ["Password"];
      for (const name of fields) await page.getByLabel(name).press("Enter");
      await page.locator("textarea[name=comment]").press("Enter");
      expect(posts).toEqual([]);
      if (mode.hasForm) {
        await page.getByRole("button", { name: /^Submit/ }).click();
        await page.getByRole("button", { name: "Confirm" }).waitFor();
        await expect.poll(() => page.getByRole("button", { name: "Confirm" }).isEnabled()).toBe(true);
        posts.length = 0;
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await page.getByLabel("Password", { exact: true }).press("Enter");
        expect(posts).toEqual([]);
      }
      await page.goto(url);
      expect(await page.title()).toMatch(/^Pending/);
      expect(await stage.approvals.status(id)).toMatchObject({ status: "pending" });
      await page.context().close();
    },
  );
});

describe("the focus", () => {
  test("is on no button at first, on what went wrong after a wrong password, and on the result after deciding [BR 216] [BR 219]", async () => {
    const { url } = await stage.ask();
    const page = await stage.signedIn();
    await page.goto(url);
    await armed(page);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await tabTo(page, /^Submit/);
    await page.keyboard.press("Enter");
    await page.getByText("The password is not right").first().waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("errors");
    expect(await page.title()).toMatch(/^Check: /);
    await armed(page);
    await tabTo(page, /^The password is not right/);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("password");
    await page.keyboard.type(PASSWORD);
    await tabTo(page, /^Submit/);
    await page.keyboard.press("Space");
    await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("result");
    expect(await page.title()).toMatch(/^Submitted: Deploy to production/);
    await page.context().close();
  });

  test("goes from each named error to its field", async () => {
    const { url } = await stage.ask(FORM);
    const page = await stage.signedIn();
    await page.goto(url);
    await page.getByRole("button", { name: /^Submit/ }).click();
    await page.locator("#errors").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("errors");
    await page.locator("#errors a").nth(1).press("Enter");
    await page.keyboard.type("80");
    expect(await page.getByLabel("Confidence %").inputValue()).toBe("80");
    await page.context().close();
  });

  test("is never behind the decision bar while somebody goes through a long form by Tab", async () => {
    const { url } = await stage.ask({
      message: "Many fields",
      requestedSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 12 }, (_, index) => [`field_${index}`, { type: "string", title: `Field ${index}` }]),
        ),
      },
    });
    const page = await stage.signedIn({ viewport: SCREENS.small });
    await page.goto(url);
    for (let index = 0; index < 12; index += 1) {
      await tabTo(page, new RegExp(`^Field ${index}\\b`));
      const [field, bar] = await Promise.all([
        page.locator(`#answer-${index}`).boundingBox(),
        page.locator(".bar").boundingBox(),
      ]);
      expect(field!.y + field!.height, `field ${index}`).toBeLessThanOrEqual(bar!.y);
      expect(field!.y, `field ${index}`).toBeGreaterThanOrEqual(0);
    }
    await page.context().close();
  });

  test("moves through the decision bar without the page losing its place", async () => {
    const { url } = await stage.ask({
      message: "A long one",
      context: JSON.stringify(Array.from({ length: 100 }, (_, index) => index)),
    });
    const page = await stage.signedIn({ viewport: SCREENS.small });
    await page.goto(url);
    await armed(page);
    await page.evaluate("window.scrollTo(0, 500)");
    for (const name of ["Password", /^Decline/, /^Submit/]) {
      await page.getByLabel(name).or(page.getByRole("button", { name })).first().focus();
      expect(await page.evaluate("window.scrollY"), String(name)).toBe(500);
    }
    await page.context().close();
  });
});

describe("what a screen reader is told", () => {
  test("a decision button names its label, which of the two it is, and the request [BR 220]", async () => {
    const plain = await stage.ask();
    const renamed = await stage.ask({ ...CONTEXT, labels: { submit: "Ship it", decline: "Hold" } });
    const page = await stage.signedIn();
    await page.goto(plain.url);
    for (const name of ["Submit: Deploy to production", "Decline: Deploy to production"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(1);
    await page.goto(renamed.url);
    for (const name of ["Ship it submit: Deploy to production", "Hold decline: Deploy to production"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(1);
    await page.context().close();
  });

  test("the title says that something waits, and how much", async () => {
    await stage.ask();
    const page = await stage.signedIn();
    await page.goto(stage.server.url);
    expect(await page.title()).toMatch(/^Waiting for you \(\d+\+?\)/);
    await page.context().close();
  });
});
