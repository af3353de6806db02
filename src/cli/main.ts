#!/usr/bin/env node
/** The bin. It checks Node's version before anything is imported that an older one cannot load. */
import { nodeProblem } from "./node_version.ts";

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
  const { runCommandLine } = await import("./run.ts");
  await runCommandLine(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
