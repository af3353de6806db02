import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/postgres.ts",
    // Two cores are shared: more workers only make the browser and the databases wait for each other.
    maxWorkers: 2,
    // Only a stop for what hangs: how long a step takes on a busy machine is no test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
