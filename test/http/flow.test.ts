import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Approvals } from "../../src/approval/approvals.ts";
import { openTestApp, PASSWORD, type TestApp } from "../support/app.ts";

let site: TestApp;
let agent: Approvals;
let anna: { cookie: string; csrf: string };

const FORM = {
  type: "object",
  properties: { approver: { type: "string", minLength: 2 }, confidence: { type: "integer", minimum: 0, maximum: 100 } },
  required: ["approver", "confidence"],
};

beforeEach(async () => {
  site = await openTestApp();
  const operating = site.engine.operating("olga");
  await operating.addReviewer({ name: "Anna", password: PASSWORD });
  await operating.addReviewer({ name: "Bert", password: PASSWORD });
  agent = site.engine.approvalsOf((await operating.addAgent({ name: "release-bot", owner: "Anna" })).agent);
  anna = await site.signIn();
});
afterEach(async () => {
  expect(site.reports).toEqual([]);
  await site[Symbol.asyncDispose]();
});

async function ask(input: Parameters<Approvals["request"]>[0] = {}): Promise<string> {
  return (await agent.request({ message: "Deploy to production", context: '{"target":"prod"}', ...input })).id;
}

async function see(path: string, who = anna): Promise<{ status: number; text: string }> {
  const response = await site.fetch(path, { headers: { cookie: who.cookie } });
  return { status: response.status, text: await response.text() };
}

async function post(
  path: string,
  fields: Record<string, string>,
  who = anna,
): Promise<{ status: number; location: string | null; text: string }> {
  const headers = { origin: site.origin, cookie: who.cookie };
  const body = new URLSearchParams({ csrf: who.csrf, ...fields });
  const response = await site.fetch(path, { method: "POST", headers, body });
  return { status: response.status, location: response.headers.get("location"), text: await response.text() };
}

async function press(id: string, decision: string, fields: Record<string, string> = {}, who = anna) {
  const { approval } = await site.engine.operating("olga").show(id);
  const all = { decision, requestDigest: approval.requestDigest, password: PASSWORD, ...fields };
  return post(`/review?elicitationId=${id}`, all, who);
}

async function eventsOf(id: string): Promise<string[]> {
  return (await site.engine.operating("olga").show(id)).events.map(({ type }) => type);
}

describe("a link opened signed out", () => {
  test("leads through sign-in back to the same approval, with nothing kept in the browser [BR 171] [BR 172]", async () => {
    const target = `/review?elicitationId=${await ask()}&from=chat`;
    const first = await site.fetch(target);
    expect(first.status).toBe(303);
    expect(first.headers.get("set-cookie")).toBeNull();
    const signIn = first.headers.get("location") ?? "";
    const page = await (await site.fetch(signIn)).text();
    const returnTo = /name="returnTo" value="([^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const body = new URLSearchParams({ name: "Anna", password: PASSWORD, returnTo });
    const done = await site.fetch("/signin", { method: "POST", headers: { origin: site.origin }, body });
    expect([done.status, done.headers.get("location")]).toEqual([303, target]);
  });

  test("shows nothing of the approval to whoever previews it [BR 152]", async () => {
    const response = await site.fetch(`/review?elicitationId=${await ask()}`);
    const page = await (await site.fetch(response.headers.get("location") ?? "")).text();
    for (const text of [await response.text(), page]) expect(text).not.toMatch(/Deploy|prod"|release-bot/);
    expect(page).toContain("<title>Sign in – Countersign</title>");
  });
});

describe("unknown, malformed and missing ids", () => {
  test("give one and the same humane page [BR 159]", async () => {
    const known = await ask();
    const pages = await Promise.all(
      ["/review?elicitationId=nope", `/review?elicitationId=${known.slice(0, -1)}0`, "/review", "/nowhere"].map(
        (path) => see(path),
      ),
    );
    for (const { status, text } of pages) {
      expect(status).toBe(404);
      expect(text).toBe(pages[0]?.text);
      expect(text).toContain("There is nothing here");
    }
  });

  test("give RFC 9457 to whoever asks for JSON", async () => {
    const response = await site.fetch("/review?elicitationId=nope", {
      headers: { cookie: anna.cookie, accept: "application/json" },
    });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status: 404, code: "not_found" });
  });
});

describe("the review page", () => {
  test("tells who asks, for whom, what its host says, until when, and that the reviewer owns the agent [BR 83] [BR 191]", async () => {
    const { id } = await agent.request(
      { message: "Deploy", context: "1" },
      { client: { name: "claude-code", version: "2.1" } },
    );
    const { text } = await see(`/review?elicitationId=${id}`);
    expect(text).toMatch(/<dt>Agent<\/dt><dd><bdi>release-bot<\/bdi>/);
    expect(text).toMatch(/<dt>Works for<\/dt><dd><bdi>Anna<\/bdi>/);
    expect(text).toMatch(/claude-code 2\.1<\/bdi> <span class="quiet">\(a claim, not checked\)/);
    expect(text).toContain("13:00:00 UTC on 30 November 2026");
    expect(text).toContain("This agent works for you.");
    const bert = await site.signIn("Bert");
    expect((await see(`/review?elicitationId=${id}`, bert)).text).not.toContain("This agent works for you.");
  });

  test("is at most 40 KB without the payload", async () => {
    const { text } = await see(`/review?elicitationId=${await ask({ context: "1", requestedSchema: FORM })}`);
    expect(Buffer.byteLength(text)).toBeLessThan(40_000);
  });

  test("labels rename the buttons and change nothing else [BR 220]", async () => {
    const { text } = await see(
      `/review?elicitationId=${await ask({ labels: { submit: "Cancel", decline: "Approve" } })}`,
    );
    expect(text).toMatch(/class="decline"[^>]*value="declined"[^>]*aria-label="Approve decline: Deploy to production"/);
    expect(text).toMatch(/class="submit"[^>]*value="submitted"[^>]*aria-label="Cancel submit: Deploy to production"/);
    expect(text.indexOf('value="declined"')).toBeLessThan(text.indexOf('value="submitted"'));
  });

  test("its first submit button is a disabled one, so that Enter in a field presses nothing [BR 215]", async () => {
    const { text } = await see(`/review?elicitationId=${await ask()}`);
    const form = text.slice(text.indexOf('id="decide"'));
    expect(form.slice(form.indexOf("<button")).startsWith('<button class="no-default" type="submit" disabled')).toBe(
      true,
    );
  });

  test("markup in the message is inert, and reordering marks do not reach the page or its title [BR 111]", async () => {
    const { text } = await see(`/review?elicitationId=${await ask({ message: "<script>x</script> \u202eabc" })}`);
    expect(text).not.toContain("<script>x");
    expect(text).not.toContain("\u202e");
    expect(text).toContain("<title>Pending: &lt;script&gt;x&lt;/script&gt; ⟦U+202E⟧abc");
  });
});

describe("deciding by password", () => {
  test("JSON mode takes one press, and the page then tells who and when", async () => {
    const id = await ask();
    const pressed = await press(id, "submitted", { comment: "Go on.\r\nTwice." });
    expect([pressed.status, pressed.location]).toEqual([303, `/review?elicitationId=${id}`]);
    const { status, text } = await see(`/review?elicitationId=${id}`);
    expect(status).toBe(200);
    expect(text).toMatch(
      /<h1 id="result"[^>]*autofocus[^>]*>Submitted by Anna at 12:00:00 UTC on 30 November 2026<\/h1>/,
    );
    expect(text).toContain("Go on.\nTwice.");
    expect(await agent.result(id)).toMatchObject({ decision: "submitted", contextText: '{"target":"prod"}' });
  });

  test("a form is confirmed with exactly what the agent will receive, and can be changed before", async () => {
    const id = await ask({ requestedSchema: FORM });
    const typed = { "answer-0": "Anna Berg", "answer-1": "80", comment: "fine", password: "" };
    const { status, location } = await press(id, "submitted", typed);
    expect(status).toBe(303);
    expect(location).toMatch(/^\/confirm\?intent=/);
    const confirm = await see(location ?? "");
    const shown = confirm.text.replaceAll(/<[^>]+>/g, "").replaceAll("&quot;", '"');
    expect(shown).toContain('{\n  "approver": "Anna Berg",\n  "confidence": 80\n}');
    const change = /href="(\/review[^"]*intent=[^"]*)"/.exec(confirm.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await see(change)).text).toMatch(/name="answer-0" value="Anna Berg"/);
    const done = await post(location ?? "", { elicitationId: id, password: PASSWORD });
    expect([done.status, done.location]).toEqual([303, `/review?elicitationId=${id}`]);
    expect(await agent.result(id)).toMatchObject({ answerText: '{"approver":"Anna Berg","confidence":80}' });
  });

  test("a decline of a form takes one press and carries no answers", async () => {
    const id = await ask({ requestedSchema: FORM });
    expect((await press(id, "declined", { "answer-0": "x" })).status).toBe(303);
    expect(await agent.result(id)).toMatchObject({ decision: "declined", answerText: null });
  });

  test("wrong answers come back with everything typed, a summary that takes the focus, and links to the fields", async () => {
    const id = await ask({ requestedSchema: FORM });
    const { status, text } = await press(id, "submitted", { "answer-0": "Anna", "answer-1": "42abc", comment: "kept" });
    expect(status).toBe(422);
    expect(text).toMatch(/class="errors" id="errors" role="alert" tabindex="-1" autofocus/);
    expect(text).toMatch(/<a href="#answer-1">confidence: /);
    expect(text).toContain('value="42abc"');
    expect(text).toContain('value="Anna"');
    expect(text).toContain("kept</textarea>");
    expect(await eventsOf(id)).not.toContain("decided");
  });

  test.each([
    ["wrong password", "The password is not right"],
    ["", "Type your password to decide"],
  ])("the password %j decides nothing and keeps what was typed", async (password, words) => {
    const id = await ask();
    const { status, text } = await press(id, "submitted", { password, comment: "kept" });
    expect(status).toBe(403);
    expect(text).toContain(words);
    expect(text).toContain("kept</textarea>");
    expect(await agent.status(id)).toMatchObject({ status: "pending" });
  });

  test("a wrong password on the confirm page keeps the prepared answer, and the right one then decides", async () => {
    const id = await ask({ requestedSchema: FORM });
    const { location } = await press(id, "submitted", { "answer-0": "Anna", "answer-1": "1" });
    const wrong = await post(location ?? "", { elicitationId: id, password: "nope nope" });
    expect([wrong.status, wrong.text.includes("The password is not right")]).toEqual([403, true]);
    expect((await post(location ?? "", { elicitationId: id, password: PASSWORD })).status).toBe(303);
  });

  test("a press without the session's form token decides nothing", async () => {
    const id = await ask();
    expect((await press(id, "submitted", { csrf: "x" })).status).toBe(403);
    expect(await agent.status(id)).toMatchObject({ status: "pending" });
  });

  test("another request's digest is told as changed [BR 68]", async () => {
    const id = await ask();
    const { status, text } = await press(id, "submitted", { requestDigest: `sha256:${"0".repeat(64)}` });
    expect(status).toBe(409);
    expect(text).toContain("This request is not the one that was shown before");
  });
});

describe("racing, repeated and late presses", () => {
  test("twenty posts of one decision leave one decision, and every one that was judged leads to it [BR 59] [BR 61]", async () => {
    const id = await ask();
    const answers = await Promise.all(Array.from({ length: 20 }, () => press(id, "submitted")));
    const statuses = answers.map(({ status }) => status);
    // Each carries a password, and ten checks at once are all that one person gets; the rest are told to wait.
    expect(statuses.filter((status) => status === 303).length).toBeGreaterThanOrEqual(10);
    expect(statuses.filter((status) => status !== 303 && status !== 429)).toEqual([]);
    expect((await eventsOf(id)).filter((type) => type === "decided")).toHaveLength(1);
  });

  test("whoever comes second is told who was first and when", async () => {
    const id = await ask();
    const bert = await site.signIn("Bert");
    await press(id, "declined", {}, bert);
    const { status, text } = await press(id, "submitted");
    expect(status).toBe(409);
    expect(text).toContain("Declined by Bert at 12:00:00 UTC on 30 November 2026");
    expect(text).toContain("Your press changed nothing");
  });

  test("a second press of the same confirmation is led to the result", async () => {
    const id = await ask({ requestedSchema: FORM });
    const { location } = await press(id, "submitted", { "answer-0": "Anna", "answer-1": "1" });
    const fields = { elicitationId: id, password: PASSWORD };
    expect((await post(location ?? "", fields)).status).toBe(303);
    expect(await post(location ?? "", fields)).toMatchObject({ status: 303, location: `/review?elicitationId=${id}` });
  });

  test("a press after the deadline is refused with the time of expiry, and approves nothing [BR 65] [BR 71]", async () => {
    const id = await ask({ expiresInSeconds: 60 });
    await see(`/review?elicitationId=${id}`);
    await site.clock.advance(60_000);
    const { status, text } = await press(id, "submitted");
    expect(status).toBe(409);
    expect(text).toContain("Expired at 12:01:00 UTC on 30 November 2026");
    expect(await agent.status(id)).toMatchObject({ status: "expired" });
    expect(await eventsOf(id)).toContain("decision_refused");
  });

  test("a canceled one says that the requester did it, and why", async () => {
    const id = await ask();
    await agent.cancel(id, { reason: "No longer needed" });
    const { status, text } = await see(`/review?elicitationId=${id}`);
    expect(status).toBe(200);
    expect(text).toContain("Canceled by the requester at 12:00:00 UTC");
    expect(text).toContain("No longer needed");
    expect(text).not.toContain('name="decision"');
  });

  test("a fetched result does not hide yes from no [BR 81]", async () => {
    const id = await ask();
    await press(id, "declined");
    await agent.result(id);
    const { text } = await see(`/review?elicitationId=${id}`);
    expect(text).toContain("Declined by Anna at");
    expect(text).toContain("The agent fetched the result at");
  });

  test("a confirmation of something closed meanwhile leads to how it was closed", async () => {
    const id = await ask({ requestedSchema: FORM });
    const { location } = await press(id, "submitted", { "answer-0": "Anna Berg", "answer-1": "80", password: "" });
    await agent.cancel(id);
    const response = await site.fetch(location ?? "", { headers: { cookie: anna.cookie } });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`/review?elicitationId=${id}`);
    expect((await see(`/review?elicitationId=${id}`)).text).toContain("Canceled by the requester");
  });

  test("a confirmation that is over says so and leads on", async () => {
    const { status, text } = await see("/confirm?intent=unknown");
    expect(status).toBe(404);
    expect(text).toContain("This confirmation is over");
  });
});

describe("the inbox", () => {
  test("shows what is pending, newest first, and drops what has expired [BR 68]", async () => {
    const old = await ask({ message: "Short-lived", expiresInSeconds: 60 });
    await site.clock.advance(1000);
    await ask({ message: "First" });
    await site.clock.advance(1000);
    await ask({ message: "Second" });
    const { text } = await see("/");
    expect(text.indexOf("Second")).toBeLessThan(text.indexOf("First"));
    expect(text).toContain(old);
    await site.clock.advance(60_000);
    expect((await see("/")).text).not.toContain(old);
  });

  test("goes on page by page without losing or repeating one", async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 45; n += 1) ids.add(await ask({ message: `Request ${n}` }));
    const seen: string[] = [];
    for (let path: string | undefined = "/"; path !== undefined;) {
      const { text } = await see(path);
      seen.push(...[...text.matchAll(/\/review\?elicitationId=(\w+)/g)].map(([, id]) => id ?? ""));
      path = /href="(\/\?cursor=[^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toHaveLength(45);
    expect(new Set(seen)).toEqual(ids);
  });

  test("says what happens next when nothing waits", async () => {
    expect((await see("/")).text).toContain("When an agent asks for an approval it appears here");
  });
});

describe("setup and signing out", () => {
  test("setup is over once somebody is enrolled", async () => {
    const page = await site.fetch("/setup");
    expect(await page.text()).toContain("Setup is over");
  });

  test("a wrong code enrols nobody; the right one does, once, and signs in", async () => {
    await using fresh = await openTestApp();
    const { code } = await fresh.engine.operating("olga").newSetupCode();
    const send = (fields: Record<string, string>) =>
      fresh.fetch("/setup", { method: "POST", headers: { origin: fresh.origin }, body: new URLSearchParams(fields) });
    const wrong = await send({ code: "AAAAA-AAAAA-AAAAA", name: "Anna", password: PASSWORD });
    expect(wrong.status).toBe(403);
    expect(await wrong.text()).toContain("This code is wrong, used, or older than 10 minutes");
    const short = await send({ code, name: "Anna", password: "short" });
    expect(short.status).toBe(422);
    const done = await send({ code, name: "Anna", password: PASSWORD });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/"]);
    const cookie = done.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await fresh.fetch("/", { headers: { cookie } })).status).toBe(200);
    expect((await send({ code, name: "Eve", password: PASSWORD })).status).toBe(409);
  });

  test("signing in again ends the session of the cookie that came along", async () => {
    const body = new URLSearchParams({ name: "Anna", password: PASSWORD });
    await site.fetch("/signin", { method: "POST", headers: { origin: site.origin, cookie: anna.cookie }, body });
    expect((await site.fetch("/", { headers: { cookie: anna.cookie } })).status).toBe(303);
  });

  test("signing out ends the session and takes the cookie away", async () => {
    const headers = { origin: site.origin, cookie: anna.cookie };
    const response = await site.fetch("/signout", {
      method: "POST",
      headers,
      body: new URLSearchParams({ csrf: anna.csrf }),
    });
    expect(response.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await site.fetch("/", { headers: { cookie: anna.cookie } })).status).toBe(303);
  });
});
