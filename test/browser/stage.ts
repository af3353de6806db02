/** One server, one browser and one signed-in person for a file of browser tests. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { ApprovalInput, Approvals } from "../../src/approval/approvals.ts";
import { expect } from "vitest";
import { launchBrowser, openPage, signIn } from "../support/browser.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

export const CONTEXT: ApprovalInput = { message: "Deploy to production", context: '{"target":"prod"}' };
export const FORM: ApprovalInput = {
  message: "Approve the deploy",
  requestedSchema: {
    type: "object",
    properties: {
      approver: { type: "string", title: "Your name", minLength: 2 },
      confidence: { type: "integer", title: "Confidence %", minimum: 0, maximum: 100 },
    },
    required: ["approver", "confidence"],
  },
};
export const BOTH: ApprovalInput = { ...FORM, context: '{"service":"api","version":"v2.4.0"}' };
export const MODES: readonly { mode: string; input: ApprovalInput; hasForm: boolean }[] = [
  { mode: "a payload", input: CONTEXT, hasForm: false },
  { mode: "a form", input: FORM, hasForm: true },
  { mode: "a payload with a form", input: BOTH, hasForm: true },
];

export interface Stage extends AsyncDisposable {
  readonly server: TestServer;
  readonly browser: Browser;
  readonly approvals: Approvals;
  /** Asks for an approval. */
  ask(input?: ApprovalInput): Promise<{ id: string; url: string }>;
  /** A fresh profile that is signed in as Anna. */
  signedIn(options?: BrowserContextOptions): Promise<Page>;
  /** A fresh profile that is not. */
  stranger(options?: BrowserContextOptions): Promise<Page>;
}

/** @param options.enrol False leaves the server without a reviewer; then nobody is signed in. */
export async function openStage(flags: Record<string, string> = {}, { enrol = true } = {}): Promise<Stage> {
  const server = await startTestServer(flags);
  const browser = await launchBrowser();
  if (enrol) await server.reviewer("Anna");
  const agent = await server.engine.authenticate(await server.agent("deployer"));
  if (agent === undefined) throw new Error("the agent that was added is not known");
  const approvals = server.engine.approvalsOf(agent);
  const storageState = enrol ? await signedInState(browser, server.url) : { cookies: [], origins: [] };
  return {
    server,
    browser,
    approvals,
    async ask(input = CONTEXT) {
      const { id } = await approvals.request(input);
      return { id, url: `${server.url}/review?elicitationId=${id}` };
    },
    signedIn: async (options = {}) => (await openPage(browser, { ...options, storageState })).page,
    stranger: async (options = {}) => (await openPage(browser, options)).page,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function signedInState(browser: Browser, url: string) {
  const { page, context } = await openPage(browser);
  await page.goto(`${url}/signin`);
  await signIn(page);
  await page.waitForURL(`${url}/`);
  const state = await context.storageState();
  await context.close();
  return state;
}

export async function fillForm(page: Page): Promise<void> {
  await page.getByLabel("Your name").fill("Anna Berg");
  await page.getByLabel("Confidence %").fill("80");
}

/** Every button that decides lies wholly inside the viewport, is large enough to touch, and nothing overflows sideways. */
export async function expectBarInView(page: Page): Promise<void> {
  const { width, height } = page.viewportSize()!;
  const buttons = await page.locator(".bar button:not(.no-default)").all();
  const visible = [];
  for (const button of buttons) if (await button.isVisible()) visible.push(button);
  expect(visible.length).toBeGreaterThan(0);
  for (const button of visible) {
    const box = (await button.boundingBox())!;
    const where = `${await button.innerText()} at ${width}×${height}: ${JSON.stringify(box)}`;
    expect(box.x, where).toBeGreaterThanOrEqual(0);
    expect(box.y, where).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, where).toBeLessThanOrEqual(width);
    expect(box.y + box.height, where).toBeLessThanOrEqual(height);
    expect(box.height, where).toBeGreaterThanOrEqual(44);
  }
  expect(
    await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
  ).toBeLessThanOrEqual(0);
}
