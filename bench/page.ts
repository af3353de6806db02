/** The weight of a review page: its HTML without the payload, and everything it loads. */
import { startChild } from "./child.ts";
import type { Measured } from "./figures.ts";
import { newCaller } from "./load.ts";
import { weighPage } from "./weight.ts";

export async function measurePage(): Promise<Measured[]> {
  await using server = await startChild("our_server.ts");
  using caller = newCaller(server.mcp, server.token);
  const { reviewUrl } = await caller.call("elicit_approval", { message: "Deploy?", context: {} });
  const weight = await weighPage(String(reviewUrl), server.cookie ?? "");
  return [
    {
      what: "review page with all it loads, without the payload",
      value: weight.total / 1_000,
      allowed: 40,
      unit: "KB",
      detail: weight.parts.map(({ path, bytes }) => `${path} ${(bytes / 1_000).toFixed(1)}`).join(", "),
    },
  ];
}
