// 200 port-forwards of 1 MiB, 500 watches and 50 followed logs at once, three times over: all must complete, and the
// hub must hold as much memory after the last time as after the first, in which its heap took the size that such a load
// needs. Both are read after some quiet seconds, when V8 has collected what the load left behind.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { createChangingPod, followLog, followWatch } from "../harness/changing-pod.ts";
import { readResidentBytes } from "../harness/memory.ts";
import { readMetric } from "../harness/metrics.ts";
import { forwardMebibyte } from "../harness/port-forward.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost } from "../harness/targets.ts";
import { countWhole } from "../harness/tries.ts";
import type { AccessStage } from "./stage.ts";

const mebibyte = 2 ** 20;
const changingMs = 8_000;
const settleMs = 15_000;
const limitMs = 90_000;

interface Counts {
  forwards: number;
  watches: number;
  logs: number;
}

export async function measureCrowd(options: {
  stage: AccessStage;
  quick: boolean;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, quick, say } = options;
  const counts = quick ? { forwards: 20, watches: 50, logs: 5 } : { forwards: 200, watches: 500, logs: 50 };
  const passes = quick ? 2 : 3;
  const done: Counts[] = [];
  const memory: number[] = [];
  for (let pass = 1; pass <= passes; pass++) {
    say(`pass ${pass} of ${passes}: ${counts.forwards} port-forwards, ${counts.watches} watches, ${counts.logs} logs`);
    done.push(await playCrowd({ stage, counts, name: `crowd-${pass}`, say }));
    await delay(quick ? settleMs / 3 : settleMs);
    memory.push(readResidentBytes(stage.hub.process.pid) / mebibyte);
    say(`the hub holds ${Math.round(memory.at(-1) ?? 0)} MiB`);
  }
  const countStreams = () => readMetric(stage.hub, "fairlead_link_streams");
  await waitUntil(async () => (await countStreams()) === 0, { timeoutMs: 30_000 });
  const streams = await countStreams();
  const [firstMiB = 0] = memory;
  const grownMiB = (memory.at(-1) ?? 0) - firstMiB;
  const row = (kind: keyof Counts, what: string): Row => {
    const value = done.reduce((sum, counted) => sum + counted[kind], 0);
    const targets = [atLeast(value, counts[kind] * passes, "whole")];
    return {
      name: `${counts[kind]} ${what} at once, ${passes} times`,
      unit: "",
      figures: { fairlead: value },
      targets,
    };
  };
  return [
    row("forwards", "port-forwards of 1 MiB"),
    row("watches", "watches"),
    row("logs", "followed logs"),
    { name: "streams left afterwards", unit: "", figures: { fairlead: streams }, targets: [atMost(streams, 0, "")] },
    {
      name: `hub memory after the last time over that after the first (${Math.round(firstMiB)} MiB)`,
      unit: "MiB",
      figures: { fairlead: grownMiB },
      targets: [atMost(grownMiB, 32, "MiB")],
    },
  ];
}

/** How many of each did what they should. */
async function playCrowd(options: {
  stage: AccessStage;
  counts: Counts;
  name: string;
  say: (text: string) => void;
}): Promise<Counts> {
  const { stage, counts, name, say } = options;
  const { viaHub: route } = stage;
  const signal = AbortSignal.timeout(limitMs);
  const pod = await createChangingPod(stage.cluster, name);
  const many = (what: keyof Counts, run: () => Promise<boolean>) => countWhole({ what, count: counts[what], run, say });
  const watches = many("watches", () => followWatch({ route, pod, signal }));
  const logs = many("logs", () => followLog({ route, pod, signal }));
  const changing = pod.changeUntil(AbortSignal.timeout(changingMs));
  const forwards = many("forwards", () => forwardMebibyte({ route, port: stage.bulkPort, signal }));
  await changing;
  return { forwards: await forwards, watches: await watches, logs: await logs };
}
