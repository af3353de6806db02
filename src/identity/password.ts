/**
 * Passwords: scrypt (RFC 7914) with its cost stored beside the hash, after the rules of NIST SP 800-63B:
 * length only, no composition rules, NFKC before hashing, so that two keyboards that type the same word agree.
 */
import { scrypt, timingSafeEqual } from "node:crypto";

export interface ScryptCost {
  /** Binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * N = 2^15, r = 8, p = 3: one of the equal strengths that the OWASP password storage cheat sheet lists for scrypt.
 * Of those it is the one that needs 32 MiB instead of 128, so that two at once fit into a small machine. About 0.3 s.
 */
export const PASSWORD_COST: ScryptCost = { ln: 15, r: 8, p: 3 };

/** How many hashes run at once. The rest wait their turn, so that twenty sign-ins neither eat the memory nor stall files and DNS, which share the thread pool. */
export const HASHES_AT_ONCE = 2;

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 1_024;

const SALT_BYTES = 16;
const HASH_BYTES = 32;
// A stored hash is our own, but a damaged row must not make us reserve gigabytes.
const MAX_MEMORY = 256 * 1024 * 1024;

export interface Passwords {
  /**
   * @param salt 16 random bytes.
   * @returns a PHC string: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, base64 without padding.
   */
  hash(password: string, salt: Uint8Array): Promise<string>;
  /** @param stored What `hash` returned; undefined when the name is unknown: then the same work is done and the answer is false. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
}

/** What is wrong with a new password, as a sentence; undefined when it may be used. Characters are counted after NFKC. */
export function passwordProblem(password: string): string | undefined {
  if (!password.isWellFormed()) return "The password holds half of a character. Type it again.";
  // The first test bounds the work of the second; NFKC of these can only be told by doing it.
  const length = password.length > 4 * PASSWORD_MAX ? Infinity : [...normalise(password)].length;
  if (length < PASSWORD_MIN)
    return `Use at least ${PASSWORD_MIN} characters; a few words are easier to keep than one short one.`;
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX.toLocaleString("en")} characters.`;
  return undefined;
}

/** @param cost The cost of new hashes; stored ones are verified at their own. */
export function newPasswords(cost: ScryptCost = PASSWORD_COST, atOnce: number = HASHES_AT_ONCE): Passwords {
  const lanes = newLanes(atOnce);
  const noSalt = new Uint8Array(SALT_BYTES);
  return {
    async hash(password, salt) {
      if (salt.length !== SALT_BYTES) throw new RangeError("a password's salt is 16 bytes");
      return writeHash(cost, salt, await lanes(() => derive(password, salt, cost, HASH_BYTES)));
    },
    async verify(password, stored) {
      const known = stored === undefined ? undefined : readHash(stored);
      if (known === undefined || passwordProblem(password) !== undefined) {
        await lanes(() => derive("", noSalt, known?.cost ?? cost, HASH_BYTES));
        return false;
      }
      const hash = await lanes(() => derive(password, known.salt, known.cost, known.hash.length));
      return timingSafeEqual(hash, known.hash);
    },
  };
}

function normalise(password: string): string {
  return password.normalize("NFKC");
}

function derive(password: string, salt: Uint8Array, cost: ScryptCost, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      normalise(password),
      salt,
      length,
      { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: MAX_MEMORY },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });
}

function writeHash(cost: ScryptCost, salt: Uint8Array, hash: Uint8Array): string {
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

function readHash(stored: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } {
  const found = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{22,})\$([A-Za-z0-9+/]{43,})$/.exec(
    stored,
  );
  if (found === null) throw new Error("a stored password hash is damaged");
  const [, ln, r, p, salt = "", hash = ""] = found;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

/** Runs at most `atOnce` of the tasks handed to it; the others wait in order. */
function newLanes(atOnce: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      // A lane is handed on without being given up in between, so that nobody who comes now overtakes.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
