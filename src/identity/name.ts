/** Names of people and agents: what may be one, and when two are the same. */
import { hasHidden } from "../approval/hidden.ts";

export const NAME_MAX = 80;

/** What is wrong with a name, as a sentence; undefined when it may be used. Surrounding spaces do not count. */
export function nameProblem(name: string): string | undefined {
  const length = [...name.slice(0, 4 * NAME_MAX).trim()].length;
  if (length === 0) return "Give a name.";
  if (length > NAME_MAX) return `Use at most ${NAME_MAX} characters for the name.`;
  if (hasHidden(name) || /[\t\n]/.test(name))
    return "The name holds a character that cannot be seen or that reorders the text. Type it with letters, digits, marks and single spaces.";
  return undefined;
}

/** The name as it is stored and shown. */
export function tidyName(name: string): string {
  return name.trim().replace(/ +/g, " ").normalize("NFC");
}

/** Equal for names that a person would read as the same: case, width and spacing do not tell people apart. */
export function nameKey(name: string): string {
  return tidyName(name).normalize("NFKC").toLowerCase().normalize("NFKC");
}
