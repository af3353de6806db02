/**
 * How often secrets may be tried. Every `admit…` either takes one attempt, or takes none and tells in how many seconds
 * the next one is allowed.
 *
 * The limits on a name and on all passwords together can be used up by anybody, so they stand only before the sign-in by
 * password: a passkey has buckets of its own, and the proof of a decision inside a live session one that a stranger does
 * not reach. Begun passkey sign-ins, which store a row each, are the one thing that many addresses together can use up.
 */
import type { Clock } from "./clock.ts";
import { type Buckets, type BucketSize, newBuckets } from "./rate_limit.ts";

/** Ten wrong passwords for one name, then one a minute. */
export const NAME_LIMIT: BucketSize = { burst: 10, everyMs: 60_000 };
/** Thirty attempts from one address (IPv6: one /64), then one each ten seconds. */
export const ADDRESS_LIMIT: BucketSize = { burst: 30, everyMs: 10_000 };
/** Sixty attempts from anywhere, then one a second: what the password hashing of a small machine can bear. */
export const GLOBAL_LIMIT: BucketSize = { burst: 60, everyMs: 1_000 };
/** Ten tries of a setup code from one address, then one each half minute; each code also ends after five. */
export const SETUP_LIMIT: BucketSize = { burst: 10, everyMs: 30_000 };
/** Ten wrong passwords for the decisions of one reviewer, then one each half minute. */
export const PROOF_LIMIT: BucketSize = { burst: 10, everyMs: 30_000 };
/** Thirty passkey sign-ins from one address, then one each two seconds: a signature is cheap to check and cannot be guessed. */
export const PASSKEY_LIMIT: BucketSize = { burst: 30, everyMs: 2_000 };
/** Thirty begun from one address, then one each two seconds, so that one address cannot use up what is there for all. */
export const BEGUN_LIMIT: BucketSize = { burst: 30, everyMs: 2_000 };
/** A hundred begun passkey sign-ins, then five a second: each stores a row for five minutes. */
export const CEREMONY_LIMIT: BucketSize = { burst: 100, everyMs: 200 };

export interface Attempts {
  /** By password. @param nameKey Null for text that is no name. @param from The peer's address. */
  admitSignIn(nameKey: string | null, from: string): number | undefined;
  /** Gives the attempt back and fills the name's bucket. */
  signedIn(nameKey: string | null, from: string): void;
  admitPasskey(from: string): number | undefined;
  /** Gives the attempt back. */
  passkeySignedIn(from: string): void;
  admitSetup(from: string): number | undefined;
  admitProof(person: string): number | undefined;
  proved(person: string): void;
  admitCeremony(from: string): number | undefined;
}

const ANYWHERE = "*";

export function newAttempts(clock: Clock): Attempts {
  const names = newBuckets(clock, NAME_LIMIT);
  const addresses = newBuckets(clock, ADDRESS_LIMIT);
  const global = newBuckets(clock, GLOBAL_LIMIT);
  const setups = newBuckets(clock, SETUP_LIMIT);
  const proofs = newBuckets(clock, PROOF_LIMIT);
  const passkeys = newBuckets(clock, PASSKEY_LIMIT);
  const begun = newBuckets(clock, BEGUN_LIMIT);
  const ceremonies = newBuckets(clock, CEREMONY_LIMIT);
  return {
    admitSignIn(nameKey, from) {
      const asked: [Buckets, string][] = [
        [addresses, addressKey(from)],
        [global, ANYWHERE],
      ];
      if (nameKey !== null) asked.push([names, nameKey]);
      return admit(asked);
    },
    signedIn(nameKey, from) {
      if (nameKey !== null) names.clear(nameKey);
      addresses.give(addressKey(from));
      global.give(ANYWHERE);
    },
    admitPasskey: (from) => admit([[passkeys, addressKey(from)]]),
    passkeySignedIn(from) {
      passkeys.give(addressKey(from));
      begun.give(addressKey(from));
    },
    admitSetup: (from) =>
      admit([
        [setups, addressKey(from)],
        [global, ANYWHERE],
      ]),
    admitProof: (person) => admit([[proofs, person]]),
    proved: (person) => proofs.clear(person),
    admitCeremony: (from) =>
      admit([
        [begun, addressKey(from)],
        [ceremonies, ANYWHERE],
      ]),
  };
}

/** All or nothing: an attempt that one limit refuses is not counted by the others. */
function admit(asked: readonly [Buckets, string][]): number | undefined {
  const wait = Math.max(...asked.map(([buckets, key]) => buckets.waitMs(key)));
  if (wait > 0) return Math.ceil(wait / 1_000);
  for (const [buckets, key] of asked) buckets.take(key);
  return undefined;
}

/** Whoever holds one IPv6 address holds the /64 around it. */
export function addressKey(address: string): string {
  const plain = address.replace(/%.*$/, "").toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? front
      : [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill("0"), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
