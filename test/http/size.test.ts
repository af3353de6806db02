/** Pages stay small: what a phone loads before a person can read and decide. */
import { expect, test } from "vitest";
import { weighPage } from "../../bench/weight.ts";
import { Authenticator } from "../support/authenticator.ts";
import { startTestServer } from "../support/server.ts";

/** Bytes over the wire, without the payload, with every style sheet, script and image. */
const MOST = 40_000;

test("a review page and all it loads, for a reviewer with a passkey, is at most 40 KB without the payload", async () => {
  await using server = await startTestServer();
  const { reviewing } = server.engine;
  const { code } = await server.engine.operating("test").newSetupCode();
  const begun = await reviewing.beginPasskeySetup({ code, name: "Anna", from: "127.0.0.1" });
  if (begun.kind !== "begun") throw new Error(begun.kind);
  const response = new Authenticator(server.url).create(begun.options);
  const enrolled = await reviewing.setUpWithPasskey({
    code,
    name: "Anna",
    challengeId: begun.challengeId,
    response,
    from: "127.0.0.1",
  });
  if (enrolled.kind !== "enrolled") throw new Error(enrolled.kind);
  const agent = await server.engine.authenticate(await server.agent());
  if (agent === undefined) throw new Error("the agent's token is not known");
  const approvals = server.engine.approvalsOf(agent);
  const form = {
    type: "object",
    properties: { approver: { type: "string", title: "Your name" } },
    required: ["approver"],
  };
  const [json, both] = [
    await approvals.request({ message: "Deploy?", context: "{}" }),
    await approvals.request({ message: "Deploy?", context: "{}", requestedSchema: form }),
  ];

  const cookie = `countersign_${new URL(server.url).port}=${enrolled.token}`;
  for (const { id } of [json, both]) {
    const { total, parts, html } = await weighPage(`${server.url}/review?elicitationId=${id}`, cookie);
    expect(html).toContain("Deploy?");
    // Style sheet, both scripts of ours, the passkey library: a page that loads none of them proves nothing.
    const loaded = parts.map(({ path }) => path);
    for (const name of ["style.css", "page.js", "passkey.js", "webauthn.js"])
      expect(
        loaded.some((path) => path.startsWith(`/assets/${name}`)),
        name,
      ).toBe(true);
    expect(total, JSON.stringify(parts)).toBeLessThanOrEqual(MOST);
  }
});
