/** Server CPU per call, against the bare SDK server: alternating rounds, the same bytes from the same client. */
import { type Child, startChild } from "./child.ts";
import { type Measured, median, ratio } from "./figures.ts";
import { type Caller, newCaller } from "./load.ts";

const CALLS = 400;
/** Before the first round that counts: the compilers of both servers have settled by then. */
const WARM_UP_ROUNDS = 3;

const PAYLOAD = {
  service: "billing",
  version: "1.42.0",
  replicas: 3,
  rollout: { strategy: "canary", steps: [5, 25, 100] },
  notify: ["ops", "billing"],
};
const ask = (n: number): object => ({ message: `Deploy billing 1.42.${n} to production?`, context: PAYLOAD });

export async function measureCalls(rounds: number): Promise<Measured[]> {
  await using ours = await startChild("our_server.ts");
  await using bare = await startChild("bare_server.ts");
  using ourCaller = newCaller(ours.mcp, ours.token);
  using bareCaller = newCaller(bare.mcp, bare.token);
  const { elicitationId } = await ourCaller.call("elicit_approval", ask(0));
  const look = (): object => ({ elicitationId });

  const status = { ours: newSeries(ours, ourCaller), bare: newSeries(bare, bareCaller) };
  const approval = { ours: newSeries(ours, ourCaller), bare: newSeries(bare, bareCaller) };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const counts = round >= 0;
    await status.bare.round("elicit_status", look, counts);
    await status.ours.round("elicit_status", look, counts);
    await approval.bare.round("elicit_approval", ask, counts);
    await approval.ours.round("elicit_approval", ask, counts);
  }
  return [
    {
      what: "server CPU of elicit_status, to the bare SDK",
      value: ratio(status.ours.cpu, status.bare.cpu),
      allowed: 1.35,
      unit: "×",
      detail: detail(status),
    },
    {
      what: "server CPU of a durable elicit_approval, to the bare SDK",
      value: ratio(approval.ours.cpu, approval.bare.cpu),
      allowed: 1.9,
      unit: "×",
      detail: detail(approval),
    },
    {
      what: "elicit_status served",
      value: median(status.ours.rate),
      unit: "/s",
      detail: `bare SDK ${median(status.bare.rate).toFixed(0)} /s`,
    },
    {
      what: "elicit_approval served",
      value: median(approval.ours.rate),
      unit: "/s",
      detail: `bare SDK ${median(approval.bare.rate).toFixed(0)} /s, storing nothing`,
    },
  ];
}

interface Series {
  /** Milliseconds of CPU per call, one figure a round. */
  readonly cpu: number[];
  /** Calls per second, one figure a round. */
  readonly rate: number[];
  round(tool: string, args: (n: number) => object, counts: boolean): Promise<void>;
}

function newSeries(child: Child, caller: Caller): Series {
  const cpu: number[] = [];
  const rate: number[] = [];
  return {
    cpu,
    rate,
    async round(tool, args, counts) {
      const before = await child.cpu();
      const seconds = await caller.run(CALLS, tool, args);
      const used = (await child.cpu()) - before;
      if (!counts) return;
      cpu.push(used / CALLS / 1_000);
      rate.push(CALLS / seconds);
    },
  };
}

function detail({ ours, bare }: { readonly ours: Series; readonly bare: Series }): string {
  return `${median(ours.cpu).toFixed(3)} ms against ${median(bare.cpu).toFixed(3)} ms`;
}
