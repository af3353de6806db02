/** The public URL: the one origin that links, cookies and passkeys are made for. Never taken from a request. */

export type PublicUrl =
  | { readonly ok: true; readonly origin: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the public URL: https on any host, or http on localhost; other http only with `insecureHttp`.
 *
 * @param name How the operator gave it (`--public-url`), for the sentence that says what to change.
 */
export function readPublicUrl(text: string, insecureHttp: boolean, name: string): PublicUrl {
  const refuse = (why: string): PublicUrl => ({
    ok: false,
    problem: `${name}: ${why} Give an origin such as https://approve.example.com.`,
  });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refuse("this is not a URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse(`${url.protocol} is not an address that a browser opens as a page of ours; only https and http are.`);
  if (url.username !== "" || url.password !== "") return refuse("a user name or password does not belong in it.");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || /[?#]/.test(text))
    return refuse("it must have no path, query or fragment; Countersign serves from the root of its own origin.");
  if (url.hostname.endsWith(".")) return refuse("the host name must not end in a dot.");
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]")
    return refuse(`${url.hostname} is where a server listens, not an address that a browser can open (see --host).`);
  if (url.port === "0") return refuse("port 0 is not an address that a browser can open.");

  const local = isLoopbackName(url.hostname);
  if (url.protocol === "http:" && !local && !insecureHttp) {
    return {
      ok: false,
      problem: `${name}: plain http is only safe on localhost: passwords, sessions and payloads of ${url.hostname} could be read and changed on the way. Use https (a proxy or tunnel in front), or say --insecure-http if you accept that.`,
    };
  }
  if (insecureHttp && (url.protocol === "https:" || local)) {
    return {
      ok: false,
      problem: `insecure-http: it has no effect with ${url.origin}; it is for a plain-http public URL that is not localhost. Leave it out.`,
    };
  }
  return { ok: true, origin: url.origin, warnings: warningsOf(url, local) };
}

function warningsOf(url: URL, local: boolean): string[] {
  if (url.protocol === "http:" && !local) {
    return [
      `${url.origin} is plain http: whoever sits between a reviewer and this server can read and change everything. Passkeys are off, and each decision takes the password.`,
    ];
  }
  if (!isIpAddress(url.hostname)) return [];
  const instead = local ? `http://localhost${url.port === "" ? "" : `:${url.port}`}` : "a host name";
  return [
    `Passkeys are off: browsers refuse them on an IP address (${url.hostname}). Use ${instead} as the public URL to have them.`,
  ];
}

/** True where a browser accepts a passkey for this origin: a host name, on https or on localhost. */
export function passkeysPossible(origin: string): boolean {
  const url = new URL(origin);
  return !isIpAddress(url.hostname) && (url.protocol === "https:" || isLoopbackName(url.hostname));
}

/** `localhost`, `*.localhost` (RFC 6761) and the loopback addresses, as a URL's `hostname` writes them. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** After URL parsing every IPv4 spelling is dotted decimal and every IPv6 address is bracketed. */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
