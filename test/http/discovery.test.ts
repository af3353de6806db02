import { expect, test } from "vitest";
import { openTestApp } from "../support/app.ts";

test("[BR 183] a 401 of the endpoint names no document and no host, and no OAuth metadata is served while no issuer is configured", async () => {
  await using app = await openTestApp({ publicUrl: "https://approve.example.com" });
  const refused = await app.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
  expect(refused.headers.get("www-authenticate")).not.toMatch(/resource_metadata|https?:|localhost/);
  for (const path of [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
  ]) {
    expect((await app.fetch(path)).status).toBe(404);
  }
});

test("[BR 181] links come from the public URL, whatever Host the request names", async () => {
  await using app = await openTestApp({ publicUrl: "https://approve.example.com" });
  const forged = await app.fetch("/signin", { headers: { host: "evil.example" } });
  expect(forged.status).toBe(421);
  expect(await forged.text()).not.toContain("evil.example");
  const forwarded = await app.fetch("/review?elicitationId=x", {
    headers: { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
  });
  expect([...forwarded.headers.values()].join(" ") + (await forwarded.text())).not.toContain("evil.example");
});
