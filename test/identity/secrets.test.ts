import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashAgentToken, newAgentToken } from "../../src/identity/agent_token.ts";
import { nameKey, nameProblem, tidyName } from "../../src/identity/name.ts";
import { hashSecret } from "../../src/identity/secret.ts";
import { newSetupCode, readSetupCode } from "../../src/identity/setup_code.ts";

describe("an agent token", () => {
  const token = newAgentToken(new Uint8Array(32).fill(7));

  test("is csk_ and 49 characters, and has a hash that does not show it", () => {
    expect(token).toMatch(/^csk_[A-Za-z0-9_-]{49}$/);
    expect(hashAgentToken(token)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashAgentToken(token)).toBe(hashSecret("agent-token", token));
  });

  test("is refused without a look into the database when one character is wrong", () => {
    for (let at = 4; at < token.length; at += 1) {
      const other = token[at] === "A" ? "B" : "A";
      expect(hashAgentToken(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    }
  });

  test.each([
    "",
    "csk_",
    ` ${"x".repeat(49)}`,
    `${token} `,
    `${token}\n`,
    token.toUpperCase(),
    token.slice(4),
    `Bearer ${token}`,
    "x".repeat(1_000_000),
  ])("is refused when its shape is wrong (%#)", (text) => {
    expect(hashAgentToken(text)).toBeUndefined();
  });

  test("never hashes as another kind of secret", () => {
    expect(hashSecret("agent-token", token)).not.toBe(hashSecret("session", token));
  });
});

describe("a setup code", () => {
  test("is three groups of five, at least 64 bits, and reads back as it was made", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 15, maxLength: 15 }), (random) => {
        const code = newSetupCode(random);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
        expect(readSetupCode(code)).toBe(code.replaceAll("-", ""));
      }),
    );
  });

  test("uses all of its alphabet: each byte decides one character", () => {
    const seen = new Set(Array.from({ length: 256 }, (_, byte) => newSetupCode(new Uint8Array(15).fill(byte))[0]));
    expect(seen.size).toBe(32);
  });

  test.each(["01ABC-DEFGH-JKMNP", "01abc-defgh-jkmnp", "O1ABC DEFGH JKMNP", "oiabcdefghjkmnp", " 0lABC—DEFGH–JKMNP\n"])(
    "is read however a person types it: %j",
    (typed) => {
      expect(readSetupCode(typed)).toBe("01ABCDEFGHJKMNP");
    },
  );

  test.each([
    "",
    "01ABC-DEFGH-JKMN",
    "01ABC-DEFGH-JKMNPQ",
    "U1ABC-DEFGH-JKMNP",
    "01ABC-DEFGH-JKMN*",
    "ß1ABC-DEFGH-JKMNP",
    "0".repeat(1_000_000),
  ])("is not read out of other text (%#)", (typed) => {
    expect(readSetupCode(typed)).toBeUndefined();
  });
});

describe("a name", () => {
  test.each([
    ["", /Give a name/],
    ["   ", /Give a name/],
    ["x".repeat(81), /at most 80/],
    ["x".repeat(1_000_000), /at most 80/],
    ["An\u200bna", /cannot be seen/],
    ["\u202eannA", /cannot be seen/],
    ["An\u00a0na", /cannot be seen/],
    ["An\0na", /cannot be seen/],
    ["An\tna", /cannot be seen/],
    ["An\nna", /cannot be seen/],
    ["Anna\ud800", /cannot be seen/],
  ])("is told what is wrong with it (%#)", (name, words) => {
    expect(nameProblem(name)).toMatch(words);
  });

  test.each(["Anna", "  Anna  ", "Zoë O’Hara-Müller", "山田 太郎", "x".repeat(80), "👩👩"])(
    "may be any name that can be seen: %j",
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );

  test("is the same person's in every case, width, composition and spacing", () => {
    const keys = ["Zoë Bär", "zoë bär", "  ZOË   BÄR ", "Zoe\u0308 Ba\u0308r", "Ｚoë Bär"].map(nameKey);
    expect(new Set(keys).size).toBe(1);
    expect(nameKey("Zoe Bar")).not.toBe(keys[0]);
    expect(tidyName("  Zoë   Bär ")).toBe("Zoë Bär");
  });
});

test("random secrets of the engine are long enough for a plain hash", () => {
  expect(newAgentToken(new Uint8Array(randomBytes(32)))).not.toBe(newAgentToken(new Uint8Array(randomBytes(32))));
  expect(() => newAgentToken(new Uint8Array(16))).toThrow(RangeError);
  expect(() => newSetupCode(new Uint8Array(8))).toThrow(RangeError);
});
