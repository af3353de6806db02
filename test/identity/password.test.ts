import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newPasswords, PASSWORD_COST, PASSWORD_MAX, passwordProblem } from "../../src/identity/password.ts";

const quick = newPasswords({ ln: 4, r: 8, p: 1 });
const salt = (): Uint8Array => new Uint8Array(randomBytes(16));

describe("a password's hash", () => {
  test("verifies the password it was made from, and no other", async () => {
    const stored = await quick.hash("correct horse", salt());
    expect(await quick.verify("correct horse", stored)).toBe(true);
    expect(await quick.verify("correct horsf", stored)).toBe(false);
    expect(await quick.verify("correct horse ", stored)).toBe(false);
    expect(await quick.verify("", stored)).toBe(false);
  });

  test("carries its own cost, so that a later program with another cost still reads it", async () => {
    const stored = await quick.hash("correct horse", salt());
    expect(stored).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await newPasswords({ ln: 5, r: 8, p: 2 }).verify("correct horse", stored)).toBe(true);
  });

  test("is another for the same password each time, by its salt", async () => {
    expect(await quick.hash("correct horse", salt())).not.toBe(await quick.hash("correct horse", salt()));
  });

  test("is the same however the keyboard composes the characters (NFKC)", async () => {
    const stored = await quick.hash("Pa\u0308sse und \ufb01n", salt());
    expect(await quick.verify("P\u00e4sse und fin", stored)).toBe(true);
  });

  test("is refused as damaged when it cannot be read, instead of letting anybody in", async () => {
    const stored = await quick.hash("correct horse", salt());
    for (const damaged of ["", "x", stored.slice(0, -10), stored.replace("scrypt", "bcrypt"), `${stored}$`]) {
      await expect(quick.verify("correct horse", damaged)).rejects.toThrow("damaged");
    }
  });

  test("runs at the strength it is documented with", async () => {
    const stored = await newPasswords().hash("correct horse", salt());
    expect(stored).toContain(`$ln=${PASSWORD_COST.ln},r=${PASSWORD_COST.r},p=${PASSWORD_COST.p}$`);
    // OWASP's list for scrypt: N=2^15, r=8, p=3 equals N=2^17, r=8, p=1.
    expect(2 ** PASSWORD_COST.ln * PASSWORD_COST.r * PASSWORD_COST.p).toBeGreaterThanOrEqual(2 ** 15 * 8 * 3);
    expect(await newPasswords().verify("correct horse", stored)).toBe(true);
  });
});

describe("an unknown name", () => {
  test("costs the work of a known one, so that time does not tell", async () => {
    const passwords = newPasswords({ ln: 13, r: 8, p: 1 });
    const stored = await passwords.hash("correct horse", salt());
    async function cpu(of: string | undefined): Promise<number> {
      const took: number[] = [];
      for (let round = 0; round < 9; round += 1) {
        const start = process.cpuUsage();
        expect(await passwords.verify("wrong horses", of)).toBe(false);
        const { user, system } = process.cpuUsage(start);
        took.push(user + system);
      }
      return took.sort((a, b) => a - b)[4] ?? 0;
    }
    await cpu(stored);
    const ratio = (await cpu(undefined)) / (await cpu(stored));
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});

test("twenty at once are all answered, each in its turn", async () => {
  const passwords = newPasswords({ ln: 4, r: 8, p: 1 }, 1);
  const cheap = await passwords.hash("correct horse", salt());
  const costly = await newPasswords({ ln: 12, r: 8, p: 1 }).hash("correct horse", salt());
  const order: number[] = [];
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      // A cheap one behind a costly one would overtake it, if more ran at once than may.
      const right = await passwords.verify(
        index % 4 < 2 ? "correct horse" : "wrong horses",
        index % 2 === 0 ? costly : cheap,
      );
      order.push(index);
      return right;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => index % 4 < 2));
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a failure of one hash does not block the ones behind it", async () => {
  const passwords = newPasswords({ ln: 4, r: 8, p: 1 }, 1);
  const tooLarge = await passwords.hash("correct horse", salt()).then((stored) => stored.replace("ln=4", "ln=24"));
  await expect(passwords.verify("correct horse", tooLarge)).rejects.toThrow();
  expect(await passwords.verify("correct horse", undefined)).toBe(false);
});

describe("a new password", () => {
  test.each([
    ["1234567", /at least 8/],
    ["", /at least 8/],
    ["👍👍👍👍👍👍👍", /at least 8/],
    ["x".repeat(PASSWORD_MAX + 1), /at most 1,024/],
    ["x".repeat(1_000_000), /at most 1,024/],
    ["12345678\ud800", /half of a character/],
  ])("is told what is wrong with it (%#)", (password, words) => {
    expect(passwordProblem(password)).toMatch(words);
  });

  test.each(["12345678", "aaaaaaaa", "        ", "👍👍👍👍👍👍👍👍", "пароль пароль", "x".repeat(PASSWORD_MAX)])(
    "needs length and nothing else (%#)",
    (password) => {
      expect(passwordProblem(password)).toBeUndefined();
    },
  );
});
