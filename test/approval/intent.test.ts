import { expect, test } from "vitest";
import { type Intent, intentChallenge } from "../../src/approval/intent.ts";

const INTENT: Intent = {
  v: 1,
  workspace: "default",
  approvalId: "a",
  reviewerId: "person_a",
  decision: "submitted",
  requestDigest: "sha256:1",
  answerDigest: "sha256:2",
  commentDigest: "sha256:3",
  renderingDigest: null,
  policyDigest: "sha256:4",
  origin: "https://approve.example.com",
  nonce: "n",
  expiresAt: 1_700_000_000_000,
};

/** Another value of the same kind, for every member there is: a member that is added must be added here. */
const OTHER: { readonly [Name in keyof Intent]: unknown } = {
  v: 2,
  workspace: "second",
  approvalId: "b",
  reviewerId: "person_b",
  decision: "declined",
  requestDigest: "sha256:9",
  answerDigest: "sha256:9",
  commentDigest: "sha256:9",
  renderingDigest: "sha256:9",
  policyDigest: "sha256:9",
  origin: "https://evil.example.com",
  nonce: "m",
  expiresAt: 1_700_000_000_001,
};

const challenge = (intent: object) => Buffer.from(intentChallenge(intent as Intent)).toString("hex");

test.each(Object.keys(OTHER) as (keyof Intent)[])(
  "[BR 97] a proof for one %s is none for another: the challenge covers it, alone",
  (name) => {
    expect(challenge({ ...INTENT, [name]: OTHER[name] })).not.toBe(challenge(INTENT));
  },
);

test("the challenge is 32 bytes, and does not depend on the order of the members", () => {
  expect(intentChallenge(INTENT)).toHaveLength(32);
  expect(challenge(Object.fromEntries(Object.entries(INTENT).reverse()))).toBe(challenge(INTENT));
});
