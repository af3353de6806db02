/** Every example call of the tool's documentation, with real clients of both eras over HTTP, decided in a real Chromium. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addAuthenticator, launchBrowser, openPage, signIn } from "../support/browser.ts";
import { PASSWORD, startTestServer, type TestServer } from "../support/server.ts";

const APPROVER = {
  type: "object",
  properties: {
    approver: { type: "string", title: "Your name", minLength: 2 },
    confidence: { type: "integer", title: "Confidence %", minimum: 0, maximum: 100 },
  },
  required: ["approver", "confidence"],
};

const EXAMPLES: readonly { name: string; input: Record<string, unknown>; shown: readonly string[] }[] = [
  {
    name: "JSON mode",
    input: { message: "Deploy to production", context: { target: "prod" }, expiresInSeconds: 3600 },
    shown: ["Deploy to production", '"target"', '"prod"'],
  },
  {
    name: "form mode",
    input: { message: "Approve the deploy", requestedSchema: APPROVER },
    shown: ["Approve the deploy", "Your name", "Confidence %"],
  },
  {
    name: "field and value summary",
    input: {
      message: "Approve refund",
      context: { customer: "acme@co", amount: "$1,240.00", reason: "duplicate charge" },
      displayTemplate:
        "<dl><dt>Customer</dt><dd>{{ context.customer }}</dd><dt>Amount</dt><dd>{{ context.amount }}</dd><dt>Reason</dt><dd>{{ context.reason }}</dd></dl>",
    },
    shown: ["Approve refund", '"acme@co"', '"$1,240.00"', '"duplicate charge"'],
  },
  {
    name: "change table",
    input: {
      message: "Approve production deploy",
      context: {
        service: "elicitly-api",
        version: "v2.4.0",
        changes: [
          { file: "src/auth.ts", added: 12, removed: 3 },
          { file: "src/db.ts", added: 5, removed: 40 },
        ],
      },
      displayTemplate:
        "<strong>Deploy {{ context.service }} {{ context.version }}</strong><table><tr><th>File</th><th>+</th><th>−</th></tr>{% for c in context.changes %}<tr><td>{{ c.file }}</td><td>+{{ c.added }}</td><td>−{{ c.removed }}</td></tr>{% endfor %}</table>",
    },
    shown: ["Approve production deploy", '"elicitly-api"', '"src/auth.ts"', "12", '"src/db.ts"', "40"],
  },
  {
    name: "before and after",
    input: {
      message: "Approve plan change",
      context: { field: "Plan", current: "Starter", proposed: "Enterprise" },
      displayTemplate:
        "<p><strong>{{ context.field }}</strong></p><p><s>{{ context.current }}</s> → <mark>{{ context.proposed }}</mark></p>",
    },
    shown: ["Approve plan change", '"Starter"', '"Enterprise"'],
  },
  {
    name: "with a form",
    input: {
      message: "Approve the deploy",
      context: { service: "elicitly-api", version: "v2.4.0" },
      displayTemplate: "<p>Deploying <strong>{{ context.service }} {{ context.version }}</strong></p>",
      requestedSchema: APPROVER,
    },
    shown: ["Approve the deploy", '"elicitly-api"', '"v2.4.0"', "Your name", "Confidence %"],
  },
];

let server: TestServer;
let browser: Browser;
let token: string;
/** One page whose person has a passkey, one whose person has a password. */
let pages: Record<"passkey" | "password", Page>;

beforeAll(async () => {
  server = await startTestServer();
  browser = await launchBrowser();
  token = await server.agent();
  const { code } = await server.engine.operating("test").newSetupCode();
  const { page: passkey } = await openPage(browser);
  await addAuthenticator(passkey);
  await passkey.goto(`${server.url}/setup#code=${code}`);
  await passkey.getByLabel("Name", { exact: true }).fill("Petra");
  await passkey.getByRole("button", { name: "Use a passkey" }).click();
  await passkey.waitForURL(`${server.url}/`);
  await server.reviewer("Anna");
  const { page: password } = await openPage(browser);
  await password.goto(server.url);
  await signIn(password);
  await password.waitForURL(`${server.url}/`);
  pages = { passkey, password };
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

async function connect(era: "modern" | "legacy"): Promise<Client> {
  const client = new Client(
    { name: "seed-examples", version: "1.0.0" },
    { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.mcp), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, structuredContent } = await client.callTool({ name, arguments: input });
  expect(isError ?? false, JSON.stringify(structuredContent)).toBe(false);
  return structuredContent as Record<string, unknown>;
}

async function decide(page: Page, proof: "passkey" | "password", reviewUrl: string, hasForm: boolean): Promise<void> {
  await page.goto(reviewUrl);
  if (hasForm) {
    await page.getByLabel("Your name").fill("Petra Anna");
    await page.getByLabel("Confidence %").fill("80");
  }
  const password = page.getByLabel("Password", { exact: true });
  if (!hasForm && proof === "password") await password.fill(PASSWORD);
  await page.getByRole("button", { name: /^Submit/ }).click();
  if (hasForm) {
    await page.getByRole("button", { name: "Confirm" }).waitFor();
    expect(await page.locator("body").innerText()).toContain('"confidence": 80');
    if (proof === "password") await password.fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
  }
  await page
    .getByRole("heading", { name: /submitted/i })
    .first()
    .waitFor();
}

describe.each(["modern", "legacy"] as const)("the documented examples, %s era", (era) => {
  describe.each(["password", "passkey"] as const)("decided by %s", (proof) => {
    test.each(EXAMPLES)("$name", async ({ input, shown }) => {
      const client = await connect(era);
      const asked = await call(client, "elicit_approval", input);
      expect(asked).toMatchObject({
        status: "pending",
        reviewUrl: `${server.url}/review?elicitationId=${String(asked["elicitationId"])}`,
        elicitationDelivered: false,
      });
      expect(Date.parse(String(asked["expiresAt"])) - Date.now()).toBeGreaterThan(3_500_000);
      const { elicitationId, reviewUrl } = asked as { elicitationId: string; reviewUrl: string };
      expect(await call(client, "elicit_status", { elicitationId })).toMatchObject({ status: "pending" });

      const waiting = call(client, "elicit_await", { elicitationId });
      const page = pages[proof];
      await page.goto(reviewUrl);
      const text = await page.locator("main").innerText();
      for (const piece of shown) expect(text).toContain(piece);
      const hasForm = "requestedSchema" in input;
      await decide(page, proof, reviewUrl, hasForm);

      expect(await waiting).toMatchObject({ status: "submitted", decision: "submitted" });
      const outcome = await call(client, "elicit_result", { elicitationId });
      expect(outcome).toMatchObject({
        status: "consumed",
        decision: "submitted",
        context: input["context"] ?? null,
        formSubmission: hasForm ? { approver: "Petra Anna", confidence: 80 } : null,
        assurance: proof === "passkey" ? "user-verified" : "reauthenticated",
        decidedBy: { name: proof === "passkey" ? "Petra" : "Anna" },
      });
      await client.close();
    });
  });
});
