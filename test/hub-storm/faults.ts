// Makes hubs fail in turn. Each fault is over before the next one comes.
import { setTimeout as delay } from "node:timers/promises";
import type { Cable } from "@fairlead/testkit";
import type { Harness } from "./harness.ts";

export interface FaultOptions {
  readonly harness: Harness;
  /** For how long a hub may stand still. */
  readonly pauseSeconds: readonly [number, number];
  /** All unless named. */
  readonly kinds?: readonly FaultKind[] | undefined;
  readonly onProgress: (line: string) => void;
}

export type FaultKind = (typeof allKinds)[number];

const allKinds = ["kill", "pause", "database", "hubs", "agents"] as const;

export async function keepFailing(options: FaultOptions): Promise<number> {
  const { harness, pauseSeconds, kinds = allKinds, onProgress } = options;
  const { chance, hubs } = harness;
  const startedAt = performance.now();
  // A short storm doesn't come to all kinds, and another seed begins with another.
  const first = chance.between(0, kinds.length - 1);
  let faults = 0;
  for (; !harness.over.aborted; faults++) {
    await delay(chance.between(1000, 4000));
    const index = chance.between(0, hubs.hubs.length - 1);
    const kind = kinds[(first + faults) % kinds.length] ?? "kill";
    const seconds = kind === "pause" ? chance.between(...pauseSeconds) : chance.between(2, 12);
    const isSilent = chance.pick([true, false]);
    const how = isSilent ? "in silence" : "by resets";
    const atSeconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    onProgress(`${atSeconds} s: ${describe(kind, index + 1, how)} for ${seconds} s`);
    await befall({ harness, index, kind, isSilent, seconds });
  }
  return faults;
}

function describe(kind: FaultKind, number: number, how: string): string {
  switch (kind) {
    case "kill":
      return `hub ${number} is killed`;
    case "pause":
      return `hub ${number} stands still`;
    case "database":
      return `hub ${number} is cut from the database ${how}`;
    case "hubs":
      return `other hubs are cut from hub ${number} ${how}`;
    case "agents":
      return `half of the agents are cut ${how}`;
  }
}

async function befall(options: {
  readonly harness: Harness;
  readonly index: number;
  readonly kind: FaultKind;
  readonly isSilent: boolean;
  readonly seconds: number;
}): Promise<void> {
  const { harness, index, kind, isSilent, seconds } = options;
  const hub = harness.hubs.hubs[index];
  const cables = harness.hubs.cables[index];
  if (hub === undefined || cables === undefined) throw new RangeError(`there is no hub ${index}`);
  switch (kind) {
    case "kill":
      await hub.stop("KILL");
      await delay(seconds * 1000);
      return hub.start();
    case "pause":
      hub.process.signal("STOP");
      await delay(seconds * 1000);
      return hub.process.signal("CONT");
    case "database": {
      const during = { hub, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
      harness.databaseCuts.push(during);
      await cut([cables.toDatabase], isSilent, seconds);
      during.toMs = performance.now();
      return;
    }
    case "hubs":
      return cut([cables.fromHubs], isSilent, seconds);
    case "agents": {
      const agents = harness.grounds.flatMap((ground) => ground.agents);
      return cut(
        agents.filter((_, each) => each % 2 === index % 2).map(({ cable }) => cable),
        isSilent,
        seconds,
      );
    }
  }
}

async function cut(cables: readonly Cable[], isSilent: boolean, seconds: number): Promise<void> {
  for (const cable of cables) isSilent ? cable.blackhole() : cable.cut();
  await delay(seconds * 1000);
  for (const cable of cables) cable.heal();
}
