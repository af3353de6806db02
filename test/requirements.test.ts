import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const CITATION = /\[((?:BR|R) ?\d+)\]/g;

function citations(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })) {
    if (!/\.test\.tsx?$/.test(path) || path === "requirements.test.ts") continue;
    for (const [, id] of readFileSync(join(import.meta.dirname, path), "utf8").matchAll(CITATION))
      if (id !== undefined) found.set(id, path);
  }
  return found;
}

test("every rule is cited by a test or says why not", () => {
  const cited = citations();
  expect(
    REQUIREMENTS.filter(({ id, reason }) => reason === undefined && !cited.has(id)).map(
      ({ id, rule }) => `${id}: ${rule}`,
    ),
  ).toEqual([]);
});

test("no reason stands for a rule that a test does cite", () => {
  const cited = citations();
  expect(REQUIREMENTS.filter(({ id, reason }) => reason !== undefined && cited.has(id)).map(({ id }) => id)).toEqual(
    [],
  );
});

test("every citation names a rule, and every rule stands once", () => {
  const known = REQUIREMENTS.map(({ id }) => id);
  expect(new Set(known).size).toBe(known.length);
  expect([...citations()].filter(([id]) => !known.includes(id))).toEqual([]);
});
