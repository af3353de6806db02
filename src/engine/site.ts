/** The site that the passkeys of this server belong to. It comes from the public URL, never from a request or the address listened on. */
import { ApprovalError } from "../approval/errors.ts";
import type { RelyingParty } from "../identity/passkey.ts";
import type { EngineDeps } from "./deps.ts";

export function siteOf(deps: EngineDeps): RelyingParty {
  return { rpId: deps.rpId, origin: deps.publicUrl };
}

/** Why passkeys are off, as a sentence with both values; undefined when they are on. */
export function passkeysOff(deps: EngineDeps): string | undefined {
  if (deps.passkeys) return undefined;
  return `Passkeys are off: the public URL is ${deps.publicUrl}, and browsers accept a passkey for ${deps.rpId} only if that is a host name, not an IP address, and is served over https or on localhost. Use a password here, or let the operator change the public URL.`;
}

/** Throws `forbidden` with the reason where no browser accepts a passkey. */
export function needPasskeys(deps: EngineDeps): void {
  const off = passkeysOff(deps);
  if (off !== undefined) throw new ApprovalError("forbidden", off);
}
