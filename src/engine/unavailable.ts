/** The store's refusal in the words of the product: `unavailable`, with nothing half done. */
import { ApprovalError } from "../approval/errors.ts";
import { CommitUncertain, DatabaseUnavailable } from "../store/database.ts";

const RETRY_SECONDS = 2;
const NOTHING_CHANGED =
  "The store cannot be reached or written just now. Nothing was changed; the same call can be made again.";
const MAYBE_CHANGED =
  "The connection to the store was lost while it was answering, so the change may or may not have been made. Look first (status or list), or repeat the call with the same idempotency or claim key.";

/** The same verbs, where a {@link DatabaseUnavailable} leaves as the `ApprovalError` that every transport knows. */
export function tellUnavailable<T extends object>(verbs: T): T {
  const told = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...given: unknown[]) => translate(verb as Verb, given),
  ]);
  return Object.fromEntries(told) as T;
}

type Verb = (...given: unknown[]) => Promise<unknown>;

async function translate(verb: Verb, given: unknown[]): Promise<unknown> {
  try {
    return await verb(...given);
  } catch (cause) {
    if (!(cause instanceof DatabaseUnavailable)) throw cause;
    throw new ApprovalError("unavailable", cause instanceof CommitUncertain ? MAYBE_CHANGED : NOTHING_CHANGED, {
      retryAfterSeconds: RETRY_SECONDS,
      cause,
    });
  }
}
