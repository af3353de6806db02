/** Time as the engine sees it: handed in by the composition root, so that a test turns it by hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `fire` once after `ms` milliseconds; the returned function calls it off. */
  timer(ms: number, fire: () => void): () => void;
}
