/**
 * The whole flow in one command: `npm run demo` starts a server, an agent asks three things, you decide them in your
 * browser, and the agent prints what it received. `npm run demo -- --auto` decides them itself through a real browser.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { type Asked, connectAgent } from "./agent.ts";
import { openReviewer } from "./browser.ts";
import { REQUESTS } from "./requests.ts";
import { startServer } from "./server.ts";

const { auto } = parseArgs({ options: { auto: { type: "boolean", default: false } } }).values;
const reviewer = { name: "Demo Reviewer", password: randomBytes(9).toString("base64url") };

await using server = await startServer(reviewer, "demo-agent");
await using agent = await connectAgent(server.mcp, server.token);
say(`Countersign runs at ${server.url}, on a temporary folder that goes when this command ends.\n`);

const asked: Asked[] = [];
for (const [index, request] of REQUESTS.entries()) {
  const answer = await agent.ask(request.arguments);
  asked.push(answer);
  say(`${index + 1}. ${request.title}: “${request.arguments.message}”\n   ${answer.reviewUrl}`);
}

if (auto) {
  await using browser = await openReviewer(reviewer);
  const form = { "Your name": "Demo Reviewer", "Confidence %": "90" };
  say("\nDeciding them in a browser …");
  const deciding = (async () => {
    await browser.decide(asked[0]!.reviewUrl, "Submit");
    await browser.decide(asked[1]!.reviewUrl, "Submit", form);
    await browser.decide(asked[2]!.reviewUrl, "Decline");
  })();
  await Promise.all([deciding, printOutcomes()]);
} else {
  say(
    `\nSign in as “${reviewer.name}” with the password ${reviewer.password}\n\nThe agent is waiting. Press Ctrl-C to end the demo.`,
  );
  openLink(asked[0]!.reviewUrl);
  await printOutcomes();
}

async function printOutcomes(): Promise<void> {
  const outcomes = asked.map(async ({ elicitationId }, index) => {
    const outcome = await agent.outcome(elicitationId);
    say(
      `\nOutcome ${index + 1}, “${REQUESTS[index]!.arguments.message}”: the agent received\n${JSON.stringify(outcome, null, 2)}`,
    );
  });
  await Promise.all(outcomes);
  say(`\n${outcomes.length} outcomes.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Opens the first link where there is somebody to see it; the others are printed, and stand in the inbox. */
function openLink(url: string): void {
  if (!process.stdout.isTTY) return;
  const [command, ...args] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
  if (command === undefined) return;
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
