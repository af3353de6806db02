/** Being asked to end. */

/** Whatever still holds the process open by then is cut off; the promise is 10 s. */
const LATEST_MS = 9_000;

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, and sees to it that the process is gone within 10 s. A second
 * signal ends it at once, for a person who will not wait. Ask before the server starts, so that a signal during the
 * start ends it in order too.
 */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        setTimeout(() => process.exit(0), LATEST_MS).unref();
        resolve(signal);
      });
    }
  });
}
