/** What a person does to a form's controls, and exactly what the agent receives for it. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PASSWORD } from "../support/server.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Opens a form, lets `act` use it, submits and confirms. @returns the answer as the agent receives it. */
async function answer(
  properties: Properties,
  required: readonly string[],
  act: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<string | null> {
  const { id, url } = await stage.ask({
    message: "Fill this in",
    requestedSchema: { type: "object", properties, required },
  });
  const page = await stage.signedIn(options);
  await page.goto(url);
  await act(page);
  await submit(page);
  await page.getByRole("button", { name: "Confirm" }).waitFor();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: /^Submitted by Anna/ }).waitFor();
  await page.context().close();
  const result = await stage.approvals.result(id);
  if (result.kind !== "decided") throw new Error(`not decided: ${result.kind}`);
  return result.answerText;
}

async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Submit/ }).click();
}

describe("yes or no", () => {
  const RESTART: Properties = { restart: { type: "boolean", title: "Restart it?" } };

  test("a required one has two radio buttons, none of them chosen, and wants one of them [BR 135]", async () => {
    const given = await answer(RESTART, ["restart"], async (page) => {
      const radios = page.getByRole("group", { name: /Restart it/ }).getByRole("radio");
      expect(await radios.count()).toBe(2);
      for (const radio of await radios.all()) expect(await radio.isChecked()).toBe(false);
      await submit(page);
      await page.getByText("One thing needs your attention").waitFor();
      await page.getByRole("radio", { name: "No", exact: true }).check();
    });
    expect(given).toBe('{"restart":false}');
  });

  test("false is sent also after true was chosen first [BR 136]", async () => {
    const given = await answer(RESTART, ["restart"], async (page) => {
      await page.getByRole("radio", { name: "Yes", exact: true }).check();
      await page.getByRole("radio", { name: "No", exact: true }).check();
    });
    expect(given).toBe('{"restart":false}');
  });

  test("an optional one can be taken back to no answer, and is then left out", async () => {
    const given = await answer(RESTART, [], async (page) => {
      await page.getByRole("radio", { name: "Yes", exact: true }).check();
      await page.getByRole("radio", { name: "No answer" }).check();
    });
    expect(given).toBe("{}");
  });

  test("a default of false stands, and is sent", async () => {
    const given = await answer({ quiet: { type: "boolean", default: false } }, [], async (page) => {
      expect(await page.getByRole("radio", { name: "No", exact: true }).isChecked()).toBe(true);
    });
    expect(given).toBe('{"quiet":false}');
  });
});

describe("numbers", () => {
  test("start empty, and left out when they are cleared again [BR 139] [BR 140] [BR 141]", async () => {
    const given = await answer({ ratio: { type: "number" }, count: { type: "integer" } }, [], async (page) => {
      for (const name of ["ratio", "count"]) {
        const box = page.getByLabel(name, { exact: true });
        expect(await box.inputValue()).toBe("");
        await box.fill("5");
        await box.fill("");
      }
    });
    expect(given).toBe("{}");
  });

  test("a required one that was cleared is an error, never 0 [BR 139]", async () => {
    const given = await answer({ count: { type: "integer" } }, ["count"], async (page) => {
      await page.getByLabel(/^count/).fill("5");
      await page.getByLabel(/^count/).fill("");
      await submit(page);
      await page.getByText("One thing needs your attention").waitFor();
      expect(await page.getByLabel(/^count/).getAttribute("aria-invalid")).toBe("true");
      expect(await page.getByLabel(/^count/).inputValue()).toBe("");
      await page.getByLabel(/^count/).fill("0");
    });
    expect(given).toBe('{"count":0}');
  });

  test("that are written in another way are kept as typed, and refused [BR 17]", async () => {
    await answer({ count: { type: "integer" } }, ["count"], async (page) => {
      for (const typed of ["42abc", "0x10", "1e3", "3.7", "1,000"]) {
        await page.getByLabel(/^count/).fill(typed);
        await submit(page);
        await page.locator(".problem").waitFor();
        expect(await page.getByLabel(/^count/).inputValue()).toBe(typed);
      }
      await page.getByLabel(/^count/).fill("7");
    });
  });
});

describe("dates", () => {
  test.each(["Pacific/Pago_Pago", "Pacific/Kiritimati"])(
    "the date that is typed in %s is the date that arrives [BR 145]",
    async (timezoneId) => {
      const given = await answer(
        { day: { type: "string", format: "date" }, start: { type: "string", format: "date", default: "2026-12-01" } },
        ["day"],
        async (page) => {
          await page.getByLabel(/^day/).focus();
          await page.keyboard.type("12012026");
          expect(await page.getByLabel(/^day/).inputValue()).toBe("2026-12-01");
          expect(await page.getByLabel(/^start/).inputValue()).toBe("2026-12-01");
        },
        { timezoneId, locale: "en-US" },
      );
      expect(given).toBe('{"day":"2026-12-01","start":"2026-12-01"}');
    },
  );

  test("a half-typed date is told, not dropped", async () => {
    await answer({ day: { type: "string", format: "date" } }, [], async (page) => {
      await page.getByLabel(/^day/).focus();
      await page.keyboard.type("12");
      await submit(page);
      expect(await page.evaluate("document.activeElement.type")).toBe("date");
      expect(new URL(page.url()).pathname).toBe("/review");
      await page.getByLabel(/^day/).fill("2026-12-01");
    });
  });

  test("a moment is told with its form, wants an offset, and arrives as it was typed [BR 144] [BR 147]", async () => {
    const given = await answer({ at: { type: "string", format: "date-time" } }, ["at"], async (page) => {
      const box = page.getByLabel(/^at/);
      const hints = ((await box.getAttribute("aria-describedby")) ?? "").split(" ").filter(Boolean);
      const told = await Promise.all(hints.map((hint) => page.locator(`#${hint}`).innerText()));
      expect(told.join(" ")).toContain("2026-11-30T14:30:00+01:00");
      for (const wrong of ["2026-12-01T09:00", "2026-12-01T09:00:00-7:00", "tomorrow"]) {
        await box.fill(wrong);
        await submit(page);
        await page.getByText("One thing needs your attention").waitFor();
        expect(await box.inputValue()).toBe(wrong);
        expect(await page.locator(".problem").first().innerText()).toMatch(/offset|-07:00|Z/);
      }
      await box.fill("2026-12-01T09:00:00-07:00");
    });
    expect(given).toBe('{"at":"2026-12-01T09:00:00-07:00"}');
  });
});

test("Change on the confirm page goes back to the form with everything still filled in", async () => {
  const given = await answer(
    {
      name: { type: "string" },
      size: { type: "string", enum: ["s", "m"] },
      many: { type: "array", items: { type: "string", enum: ["x", "y", "z"] } },
    },
    ["name"],
    async (page) => {
      await page.getByLabel(/^name/).fill('A "quoted" name\\');
      await page.getByRole("radio", { name: "m", exact: true }).check();
      await page.getByRole("checkbox", { name: "x" }).check();
      await page.getByRole("checkbox", { name: "z" }).check();
      await submit(page);
      await page.getByRole("link", { name: "Change" }).click();
      await page.getByRole("button", { name: /^Submit/ }).waitFor();
      expect(await page.getByLabel(/^name/).inputValue()).toBe('A "quoted" name\\');
      await page.getByRole("checkbox", { name: "x" }).uncheck();
    },
  );
  expect(given).toBe('{"name":"A \\"quoted\\" name\\\\","size":"m","many":["z"]}');
});
