/**
 * Whether a free text field asks for a secret. MCP (client/elicitation): form mode must not ask for credentials.
 *
 * Whole words only, so that `max_tokens`, `primary_key` and "Key results" pass.
 */
import { withoutHidden } from "./hidden.ts";

const SECRETS = [
  "password",
  "passphrase",
  "secret",
  "api key",
  "apikey",
  "access token",
  "accesstoken",
  "private key",
  "privatekey",
  "card number",
  "cardnumber",
  "cvv",
  "pin",
  "one time code",
  "onetime code",
  "ssn",
];

export function asksForSecret(name: string, title: string | undefined): boolean {
  return holdsSecret(name) || (title !== undefined && holdsSecret(title));
}

function holdsSecret(text: string): boolean {
  const words = ` ${wordsOf(text).join(" ")} `;
  return SECRETS.some((secret) => words.includes(` ${secret} `));
}

/** Lower-case words of camelCase, snake_case, kebab-case and plain text. Look-alike forms and hidden characters do not hide one. */
function wordsOf(text: string): readonly string[] {
  const plain = withoutHidden(text.replace(/\p{Zs}/gu, " ")).normalize("NFKC");
  const spaced = plain.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return spaced.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
}
