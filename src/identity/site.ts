/** Whether passkeys work at a public URL. The name comes from that URL alone, never from the address listened on. */
export interface PasskeySite {
  /** The relying-party id: the URL's host name. */
  readonly rpId: string;
  readonly origin: string;
  /** Why no browser accepts a passkey here, as a sentence that names both values; null when one does. */
  readonly problem: string | null;
}

/** @param publicUrl A valid http or https URL; its path is not used. */
export function passkeySite(publicUrl: string): PasskeySite {
  const url = new URL(publicUrl);
  const site = { rpId: url.hostname, origin: url.origin };
  return { ...site, problem: siteProblem(url, site) };
}

function siteProblem(url: URL, { rpId, origin }: { rpId: string; origin: string }): string | null {
  // The URL parser has already turned every spelling of an IPv4 address into four decimal numbers.
  if (rpId.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(rpId)) {
    return `Passkeys are off: the public URL is ${origin}, and browsers refuse the IP address ${rpId} as the owner of a passkey. Use a host name, such as http://localhost:${url.port || "4747"} on this machine or an https name elsewhere.`;
  }
  if (url.protocol !== "https:" && rpId !== "localhost" && !rpId.endsWith(".localhost")) {
    return `Passkeys are off: the public URL is ${origin}, and browsers offer passkeys for ${rpId} over https only. Serve it over https and set the public URL to https://${rpId}.`;
  }
  return null;
}
