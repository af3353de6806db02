/** The site that the passkeys of this server belong to. */
import { ApprovalError } from "../approval/errors.ts";
import type { RelyingParty } from "../identity/passkey.ts";
import { passkeySite } from "../identity/site.ts";
import type { EngineDeps } from "./deps.ts";

export function siteOf(deps: EngineDeps): RelyingParty {
  return { rpId: deps.rpId, origin: deps.publicUrl };
}

/** Why passkeys are off, or undefined when they are on. */
export function passkeysOff(deps: EngineDeps): string | undefined {
  return deps.passkeys ? undefined : (passkeySite(deps.publicUrl).problem ?? `Passkeys are off at ${deps.publicUrl}. Use a password.`);
}

/** Throws `forbidden` with the reason where no browser accepts a passkey. */
export function needPasskeys(deps: EngineDeps): void {
  const off = passkeysOff(deps);
  if (off !== undefined) throw new ApprovalError("forbidden", off);
}
