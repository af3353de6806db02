/** Whether the store can be written, asked at most once a second however many ask us. */

const FRESH_MS = 1_000;

/**
 * The probe commits to the disk, and `/readyz` takes no credential: without this a stranger could keep the disk busy.
 *
 * @param probe Rejects when the store cannot be written.
 * @returns the same, answered for a second by the last outcome.
 */
export function newReadiness(probe: () => Promise<void>, now: () => number): () => Promise<void> {
  let asked: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  return () => {
    const at = now();
    if (asked === undefined || at < asked.at || at - asked.at >= FRESH_MS) asked = { at, outcome: probe() };
    return asked.outcome;
  };
}
