/** The reviewer of `--auto`: a real browser that signs in and decides, as a person would by hand. */
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/find_chromium.mjs";

export interface Reviewer extends AsyncDisposable {
  /** Opens the link, signs in when asked, decides, and returns once the page says that it is done. */
  decide(
    reviewUrl: string,
    decision: "Submit" | "Decline",
    fields?: { readonly [label: string]: string },
  ): Promise<void>;
}

export async function openReviewer(account: { name: string; password: string }): Promise<Reviewer> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("No Chromium was found. Set CHROMIUM to its program file.");
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage();
  return {
    async decide(reviewUrl, decision, fields = {}) {
      await page.goto(reviewUrl);
      if (await page.getByRole("button", { name: "Sign in" }).isVisible()) {
        await page.getByLabel("Name", { exact: true }).fill(account.name);
        await page.getByLabel("Password", { exact: true }).fill(account.password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("button", { name: new RegExp(`^${decision}`) }).waitFor();
      }
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
      // On localhost every decision takes its own proof: the password stands beside the buttons, or on the confirm page.
      const password = page.getByLabel("Password", { exact: true });
      if (await password.isVisible()) await password.fill(account.password);
      await page.getByRole("button", { name: new RegExp(`^${decision}`) }).click();
      const confirm = page.getByRole("button", { name: "Confirm" });
      const done = page.getByRole("heading", {
        name: new RegExp(decision === "Submit" ? "submitted" : "declined", "i"),
      });
      await confirm.or(done).first().waitFor();
      if (await confirm.isVisible()) {
        if (await password.isVisible()) await password.fill(account.password);
        await confirm.click();
      }
      await done.first().waitFor();
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
