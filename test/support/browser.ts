/** A real Chromium, and the steps every browser test takes. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { findChromium } from "../../scripts/find_chromium.mjs";
import { PASSWORD } from "./server.ts";

/** The smallest phone that must work, a common one, and a desktop. */
export const SCREENS = {
  small: { width: 320, height: 568 },
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
} as const;

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium found: run `npm run pretest`");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

/** A fresh profile with one page. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options);
  return { context, page: await context.newPage() };
}

/** Fills in and sends the sign-in page that stands there now. */
export async function signIn(page: Page, name = "Anna", password = PASSWORD): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Gives this page's browser a platform authenticator that verifies its user, as a laptop with a fingerprint reader has. */
export async function addAuthenticator(
  page: Page,
  userVerified = true,
): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: userVerified,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}
