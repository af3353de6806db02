/**
 * `npm run bench [-- --json] [--rounds N] [--only NAME,…]`: how Countersign compares with a bare server of the MCP SDK.
 *
 * Ratios of one run, on CPU time where that can be had, over alternating rounds: machines differ, and so do two runs
 * on one of them. A figure over its limit is told, not punished: the exit code is 0 unless something crashed.
 */
import { parseArgs } from "node:util";
import { measureCalls } from "./calls.ts";
import { type Measured, table, verdict } from "./figures.ts";
import { measureGrowth } from "./growth.ts";
import { measurePage } from "./page.ts";
import { measureStart } from "./start.ts";
import { measureAwait, measureWaking } from "./waking.ts";

const MEASURES = {
  calls: measureCalls,
  waking: measureWaking,
  await: measureAwait,
  growth: measureGrowth,
  page: measurePage,
  start: measureStart,
} satisfies Record<string, (rounds: number) => Promise<Measured[]>>;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "9" },
    only: { type: "string" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number of 1 or more");
const chosen = values.only?.split(",") ?? Object.keys(MEASURES);
const unknown = chosen.filter((name) => !(name in MEASURES));
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(", ")}. Choose among ${Object.keys(MEASURES).join(", ")}.`);

const measured: Measured[] = [];
for (const [name, measure] of Object.entries(MEASURES)) {
  if (!chosen.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  measured.push(...(await measure(rounds)));
}
if (values.json)
  process.stdout.write(
    `${JSON.stringify(
      measured.map((each) => ({ ...each, verdict: verdict(each) })),
      undefined,
      2,
    )}\n`,
  );
else process.stdout.write(`${table(measured)}\n`);
