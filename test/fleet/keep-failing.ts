// Makes agents, the hub and the cables between them fail in turn. Each fault is over before the next one comes.
import { setTimeout as delay } from "node:timers/promises";
import type { JoinedCluster } from "@fairlead/testkit";
import type { Chance } from "./chance.ts";

export interface Faulted {
  readonly hub: { stop(how: "KILL"): Promise<unknown>; start(): Promise<void> };
  readonly joined: readonly JoinedCluster[];
  readonly chance: Chance;
  /** Aborted when no more is to be begun. */
  readonly over: AbortSignal;
}

export type FaultKind = "agent-killed" | "agent-stopped" | "agent-stands" | "hub-killed" | "cable-cut";

export async function keepFailing(options: {
  readonly faulted: Faulted;
  readonly kinds: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly onProgress: (line: string) => void;
}): Promise<number> {
  const { faulted, kinds, calmSeconds, onProgress } = options;
  const { hub, chance, over } = faulted;
  const startedAt = performance.now();
  const first = chance.between(0, kinds.length - 1);
  let faults = 0;
  for (; !over.aborted; faults++) {
    await delay(chance.between(calmSeconds[0] * 1000, calmSeconds[1] * 1000));
    const kind = kinds[(first + faults) % kinds.length] ?? "agent-killed";
    const joined = chance.pick(faulted.joined);
    // Longer than a lease, so that it wakes up to find that others have what it held.
    const seconds = kind === "agent-stands" ? chance.between(33, 45) : chance.between(1, 8);
    const atSeconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    onProgress(`${atSeconds} s: ${kind} at ${joined.name} for ${seconds} s`);
    await befall({ hub, joined, kind, seconds, isSilent: chance.pick([true, false]) });
  }
  return faults;
}

async function befall(options: {
  readonly hub: Faulted["hub"];
  readonly joined: JoinedCluster;
  readonly kind: FaultKind;
  readonly seconds: number;
  readonly isSilent: boolean;
}): Promise<void> {
  const { hub, joined, kind, seconds, isSilent } = options;
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
      await hub.stop("KILL");
      await delay(seconds * 1000);
      return await hub.start();
    case "cable-cut":
      if (isSilent) cable.blackhole();
      else cable.cut();
      await delay(seconds * 1000);
      return cable.heal();
  }
}
