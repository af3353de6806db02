/** What every verb of the engine is handed: the database, the clock, chance, and the settled configuration. */
import type { Policy } from "../approval/approval.ts";
import type { RequestLimits } from "../approval/request.ts";
import type { Passwords } from "../identity/password.ts";
import type { Database } from "../store/database.ts";
import type { Attempts } from "./attempts.ts";
import type { Clock } from "./clock.ts";
import type { Closings } from "./closings.ts";
import type { VerifyProof } from "./verified_proof.ts";
import type { Waiters } from "./waiters.ts";

export interface EngineDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Epoch milliseconds on the clock that deadlines are compared with: local time plus the database's offset. */
  now(): number;
  /** Bytes from a cryptographic source. */
  randomBytes(length: number): Uint8Array;
  readonly workspace: string;
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  /** The passkeys' relying-party id: the public URL's host name. */
  readonly rpId: string;
  /** False where no browser would accept a passkey: an IP address, or plain http that is not localhost. */
  readonly passkeys: boolean;
  /** How long a proof made in this session stays fresh, in milliseconds. */
  readonly proofWindowMs: number;
  /** True on https only: on a loopback origin every port can read the cookie, so each decision takes its own proof. */
  readonly proofWindowApplies: boolean;
  readonly limits: RequestLimits;
  readonly awaitMaxSeconds: number;
  /** What a new approval demands. */
  readonly policy: Policy;
  /** Checks a reviewer's proof for one intent; a test of races hands in one that costs nothing. */
  readonly verifyProof: VerifyProof;
  /** Hashes and verifies passwords, a few at a time. */
  readonly passwords: Passwords;
  /** How often secrets may still be tried. */
  readonly attempts: Attempts;
  readonly waiters: Waiters;
  readonly closings: Closings;
}
