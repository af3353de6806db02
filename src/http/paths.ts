/** Which addresses are for programs and which for people. */

export function isAgentPath(path: string): boolean {
  return path === "/mcp" || path === "/api" || path.startsWith("/api/");
}

/** For programs rather than people: reached by whatever loopback name the program was given. */
export function isMachinePath(path: string): boolean {
  return isAgentPath(path) || path === "/healthz" || path === "/readyz";
}

/** True for whoever asks for JSON or speaks to a machine's address. */
export function wantsJson(request: Request, path: string): boolean {
  const accept = request.headers.get("accept") ?? "";
  return isMachinePath(path) || (/\bjson\b/.test(accept) && !accept.includes("text/html"));
}

/**
 * Where to go after signing in: a path of ours with its query and fragment, or the inbox for anything that could
 * lead elsewhere.
 */
export function safeReturn(raw: string | null, origin: string): string {
  if (raw === null || raw.length > 2_000 || !isPath(raw) || !URL.canParse(raw, origin)) return "/";
  const url = new URL(raw, origin);
  const path = url.pathname + url.search + url.hash;
  // Judged again as it will be sent: `/..//evil` becomes `//evil`.
  if (url.origin !== origin || !isPath(path)) return "/";
  return ["/signin", "/signout", "/setup"].includes(url.pathname) ? "/" : path;
}

/** One slash and then neither a second one nor a backslash, which browsers take for one; no control characters, even encoded. */
function isPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text) && !/[\u0000-\u001f\u007f\\]|%0[0-9a-f]|%1[0-9a-f]|%7f|%5c/i.test(text);
}
