/** The text formats of the requestedSchema subset, each with a sentence that shows the expected form. */
import type { TextField } from "./form.ts";

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
/** A valid e-mail address as HTML defines it (WHATWG HTML, 4.10.5.1.5). */
const EMAIL = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*$`);
const EMAIL_LENGTH = 254;
/** RFC 3986: a scheme, then only characters that may stand in a URI, with whole percent escapes. */
const URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[a-zA-Z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9a-fA-F]{2})+$/;
/** RFC 3339, full-date. */
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
/** RFC 3339, date-time. */
const DATE_TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(.*)$/s;
const OFFSET = /^(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;

const DATE_FORM = "Enter a date that exists as year-month-day, for example 2026-12-31.";

/** What is wrong with the text as a sentence; undefined when it has the format. */
export function formatProblem(format: NonNullable<TextField["format"]>, text: string): string | undefined {
  switch (format) {
    case "email":
      return text.length <= EMAIL_LENGTH && EMAIL.test(text)
        ? undefined
        : "Enter an e-mail address, for example name@example.com.";
    case "uri":
      return URI.test(text) && hasHost(text)
        ? undefined
        : "Enter a whole address with its scheme and without blanks, for example https://example.com/page.";
    case "date":
      return isDate(text) ? undefined : DATE_FORM;
    case "date-time":
      return dateTimeProblem(text);
  }
}

function dateTimeProblem(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null)
    return "Enter date, time with seconds, and offset from UTC, for example 2026-12-31T14:30:00+01:00 or 2026-12-31T13:30:00Z.";
  if (!isDate(match[1] ?? ""))
    return "This day is not in the calendar. Enter a date that exists, for example 2026-12-31T14:30:00+01:00.";
  if (!OFFSET.test(match[3] ?? ""))
    return "End with the offset from UTC as sign and two digits each, for example -07:00 or +05:30, or Z for UTC.";
  return undefined;
}

/** Whether the day is in the (proleptic Gregorian) calendar; no clock, no time zone. */
function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** A web address names a host and is one that browsers read; other schemes are left as they are. */
function hasHost(uri: string): boolean {
  return !/^https?:/i.test(uri) || (/^https?:\/\/[^/?#]/i.test(uri) && URL.canParse(uri));
}
