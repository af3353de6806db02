import { expect, test } from "vitest";
import { newReadiness } from "../../src/http/readiness.ts";
import { openTestApp } from "../support/app.ts";

test("a hundred questions within a second reach the disk once, and the next second asks again", async () => {
  let now = 0;
  let probes = 0;
  const ready = newReadiness(
    async () => void (probes += 1),
    () => now,
  );
  await Promise.all(Array.from({ length: 100 }, ready));
  expect(probes).toBe(1);
  now = 999;
  await ready();
  expect(probes).toBe(1);
  now = 1_000;
  await ready();
  expect(probes).toBe(2);
});

test("/readyz turns red while the store cannot be written and green again by itself, while /healthz stays green", async () => {
  await using app = await openTestApp();
  expect((await app.fetch("/readyz")).status).toBe(200);
  await app.db.query("PRAGMA query_only = ON");
  await app.clock.advance(1_000);
  const red = await app.fetch("/readyz");
  expect(red.status).toBe(503);
  expect(red.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await app.fetch("/healthz")).status).toBe(200);
  await app.db.query("PRAGMA query_only = OFF");
  await app.clock.advance(1_000);
  expect((await app.fetch("/readyz")).status).toBe(200);
});
