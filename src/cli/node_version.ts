/** The Node.js that the server needs. Nothing is imported here, so that an older Node can still say so. */

/** node:sqlite is silent and free of the WAL-reset bug from here on. */
export const NEEDED_NODE = [24, 15] as const;

/** @param version As `process.versions.node`. @returns what to tell the operator, or undefined when it is new enough. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return undefined;
  return (
    `countersign needs Node.js ${NEEDED_NODE.join(".")} or newer; this is ${version}.\n` +
    "Install it from https://nodejs.org, or run it beside the one you have: npx -y -p node@24 -p countersign countersign"
  );
}
