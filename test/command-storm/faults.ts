// What befalls agents, the hub and the cables between them, one after another: each is over before the next one comes.
import { setTimeout as delay } from "node:timers/promises";
import type { Bed } from "./bed.ts";

export type FaultKind = "agent-killed" | "agent-stopped" | "agent-stands" | "hub-killed" | "cable-cut";

export async function keepFailing(options: {
  readonly bed: Bed;
  readonly kinds: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly onProgress: (line: string) => void;
}): Promise<number> {
  const { bed, kinds, calmSeconds, onProgress } = options;
  const { chance } = bed;
  const startedAt = performance.now();
  const first = chance.between(0, kinds.length - 1);
  let faults = 0;
  for (; !bed.over.aborted; faults++) {
    await delay(chance.between(calmSeconds[0] * 1000, calmSeconds[1] * 1000));
    const kind = kinds[(first + faults) % kinds.length] ?? "agent-killed";
    const ground = chance.pick(bed.grounds);
    // Longer than a lease, so that it wakes up to find its commands claimed by nobody or by the next one.
    const seconds = kind === "agent-stands" ? chance.between(33, 45) : chance.between(1, 8);
    const atSeconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    onProgress(`${atSeconds} s: ${kind} at ${ground.joined.name} for ${seconds} s`);
    await befall({ bed, joined: ground.joined, kind, seconds, isSilent: chance.pick([true, false]) });
  }
  return faults;
}

async function befall(options: {
  readonly bed: Bed;
  readonly joined: Bed["grounds"][number]["joined"];
  readonly kind: FaultKind;
  readonly seconds: number;
  readonly isSilent: boolean;
}): Promise<void> {
  const { bed, joined, kind, seconds, isSilent } = options;
  const { agent, cable } = joined;
  switch (kind) {
    case "agent-killed":
      await agent.stop("KILL");
      await delay(seconds * 1000);
      return await agent.start();
    case "agent-stopped":
      await agent.stop();
      return await agent.start();
    case "agent-stands":
      agent.process.signal("STOP");
      await delay(seconds * 1000);
      return agent.process.signal("CONT");
    case "hub-killed":
      await bed.hub.stop("KILL");
      await delay(seconds * 1000);
      return await bed.hub.start();
    case "cable-cut":
      if (isSilent) cable.blackhole();
      else cable.cut();
      await delay(seconds * 1000);
      return cable.heal();
  }
}
