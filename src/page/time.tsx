/** Times as people read them: never a date without time and zone, and how far away it is. */

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** `12:31:05 UTC on 30 November 2026`. @param at Epoch milliseconds. */
export function absoluteTime(at: number): string {
  const date = new Date(at);
  return `${date.toISOString().slice(11, 19)} UTC on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `in 58 minutes`, `2 hours ago`, `in less than a minute`, `just now`. Rounded down: never more time than there is. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  for (const [unit, length] of UNITS) {
    if (distance < length) continue;
    const count = Math.floor(distance / length);
    const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
    return at > now ? `in ${words}` : `${words} ago`;
  }
  return at > now ? "in less than a minute" : "just now";
}

/** The same where there is little room: `in 58 min`, `in 2 h`. The script on the page counts on in the same words. */
export function shortRelativeTime(at: number, now: number): string {
  return relativeTime(at, now)
    .replace("less than a minute", "under 1 min")
    .replace(/ minutes?/, " min")
    .replace(/ hours?/, " h");
}

export function When({ at, now }: { at: number; now: number }) {
  return (
    <>
      <time datetime={new Date(at).toISOString()}>{absoluteTime(at)}</time>{" "}
      <span class="quiet">({relativeTime(at, now)})</span>
    </>
  );
}
