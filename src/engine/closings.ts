/** Who wants to hear, in this process, that an approval has closed. A hint: the row is the truth. */

/** The channel on which nodes that share a database tell each other that an approval closed; the payload is its id. */
export const CLOSED_CHANNEL = "countersign_closed";

export interface Closings {
  /** Tells every listener; called after the commit, never inside the transaction. */
  tell(approvalId: string): void;
  /** @returns a function that ends the subscription. */
  listen(listener: (approvalId: string) => void): () => void;
}

export function newClosings(): Closings {
  const listeners = new Set<(approvalId: string) => void>();
  return {
    tell(approvalId) {
      for (const listener of listeners) listener(approvalId);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
