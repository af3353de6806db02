/** Which database: `sqlite:PATH`, `postgres://…`, or the data folder's own file. */

export type DatabaseChoice =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** @param text As given; undefined means `countersign.db` in the data folder. The value may hold a password, so no problem repeats it. */
export function readDatabase(
  text: string | undefined,
  dataDir: string,
  resolvePath: (...parts: string[]) => string,
  name: string,
): DatabaseChoice | { readonly problem: string } {
  if (text === undefined) return { kind: "sqlite", path: resolvePath(dataDir, "countersign.db") };
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length).replace(/^\/\//, "");
    if (path === "" || path === ":memory:")
      return {
        problem: `${name}: sqlite needs a file, such as sqlite:/var/lib/countersign/countersign.db. A database in memory would forget every approval.`,
      };
    return { kind: "sqlite", path: resolvePath(path) };
  }
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return { kind: "postgres", url: text };
  return { problem: `${name}: write sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME.` };
}
