/** The pictures of README.md, made from the real pages: `npm run screenshots`. */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { connectAgent } from "../examples/demo/agent.ts";
import { startServer } from "../examples/demo/server.ts";
import { findChromium } from "./find_chromium.mjs";

const OUT = fileURLToPath(new URL("../docs/images/", import.meta.url));
const ANNA = { name: "Anna Berg", password: "a long sentence as a password" };
const PHONE = { width: 390, height: 760 };
const DESKTOP = { width: 1200, height: 850 };

const REFUND = {
  message: "Refund order 20-4471: the customer was charged twice.",
  context: {
    order: "20-4471",
    customer: "kim@example.com",
    amount: 48.0,
    currency: "EUR",
    reason: "duplicate charge",
    notify: true,
  },
};
const RELEASE = {
  message: "Release shop-api v3.2.0 to production",
  context: { service: "shop-api", version: "v3.2.0", migrations: 2 },
  requestedSchema: {
    type: "object",
    properties: {
      window: {
        type: "string",
        title: "When",
        oneOf: [
          { const: "now", title: "Right away" },
          { const: "tonight", title: "Tonight, 22:00 UTC" },
        ],
        default: "tonight",
      },
      contact: { type: "string", title: "Who is on call", minLength: 2 },
    },
    required: ["window", "contact"],
  },
};

await mkdir(OUT, { recursive: true });
await using server = await startServer(ANNA, "shop-assistant");
await using agent = await connectAgent(server.mcp, server.token);
const refund = await agent.ask(REFUND);
const release = await agent.ask(RELEASE);

const executablePath = findChromium();
if (executablePath === undefined) throw new Error("No Chromium was found. Set CHROMIUM to its program file.");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  await takeDesktop(browser);
  await takePhone(browser);
} finally {
  await browser.close();
}

async function takeDesktop(on: Browser): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await signedIn(on, { viewport: DESKTOP, colorScheme });
    if (colorScheme === "light") await take(page, "inbox-desktop");
    await page.goto(refund.reviewUrl);
    await take(page, colorScheme === "light" ? "review-desktop" : "review-desktop-dark");
    await page.context().close();
  }
}

async function takePhone(on: Browser): Promise<void> {
  const page = await signedIn(on, { viewport: PHONE, deviceScaleFactor: 2 });
  await page.goto(refund.reviewUrl);
  await take(page, "review-phone");
  await page.goto(release.reviewUrl);
  await page.getByLabel("Who is on call").fill("Kim");
  await page.getByRole("button", { name: /^Submit/ }).click();
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  await take(page, "confirm-phone");
  await page.getByLabel("Password", { exact: true }).fill(ANNA.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: /^Submitted/ }).waitFor();
  await take(page, "result-phone");
  await page.context().close();
}

async function signedIn(on: Browser, options: NonNullable<Parameters<Browser["newContext"]>[0]>): Promise<Page> {
  const page = await (await on.newContext(options)).newPage();
  await page.goto(`${server.url}/signin`);
  await page.getByLabel("Name", { exact: true }).fill(ANNA.name);
  await page.getByLabel("Password", { exact: true }).fill(ANNA.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${server.url}/`);
  return page;
}

/** Once the buttons are armed, so that they are seen as a person presses them. */
async function take(page: Page, name: string): Promise<void> {
  const decision = page.locator(".bar button:not(.no-default)").first();
  if (await decision.isVisible()) await decision.click({ trial: true });
  await page.mouse.move(0, 0);
  await page.evaluate("window.scrollTo(0, 0)");
  await page.screenshot({ path: `${OUT}${name}.png` });
  process.stdout.write(`docs/images/${name}.png\n`);
}
