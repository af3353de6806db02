/** The addresses to listen on. */

export const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

export type Listening =
  | { readonly ok: true; readonly hosts: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads `host`: IP addresses, or `localhost` for both loopback addresses. `::` stands for every address of both families.
 *
 * @param local True when the public URL is on localhost. Then both loopback addresses are always among the result
 * (itself or as part of a wildcard): a stranger on one of them would be served under our own origin.
 */
export function readHosts(values: readonly string[], local: boolean, name: string): Listening {
  const hosts = new Set<string>();
  for (const value of values) {
    const bare = value.replace(/^\[(.*)\]$/, "$1").toLowerCase();
    if (bare === "localhost") for (const address of LOOPBACK) hosts.add(address);
    else if (bare === "::") for (const address of ["0.0.0.0", "::"]) hosts.add(address);
    else if (isIpv4(bare) || isIpv6(bare)) hosts.add(bare);
    else
      return {
        ok: false,
        problem: `${name}: “${value}” is not an IP address. Give one such as 127.0.0.1 or ::, or “localhost” for both loopback addresses.`,
      };
  }
  if (local && !hosts.has("0.0.0.0")) hosts.add("127.0.0.1");
  if (local && !hosts.has("::")) hosts.add("::1");
  // A wildcard holds its whole family: binding one of its addresses besides would collide with ourselves.
  const covered = (host: string) =>
    isIpv4(host) ? host !== "0.0.0.0" && hosts.has("0.0.0.0") : host !== "::" && hosts.has("::");
  return { ok: true, hosts: [...hosts].filter((host) => !covered(host)) };
}

export function isLoopbackAddress(host: string): boolean {
  return host === "::1" || host.startsWith("127.");
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}
