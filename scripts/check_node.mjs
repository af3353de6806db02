// The first step of every npm script: npm may have denied node@24 its install script, and then everything would run,
// and seem to pass, on the system's Node.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `This needs Node.js 24.15 or newer and is running on ${process.versions.node}.\n` +
      "The package “node” in devDependencies brings one: run `npm ci` with scripts allowed, or install Node 24 yourself.",
  );
  process.exit(2);
}
