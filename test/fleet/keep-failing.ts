// Makes agents, the hub, clusters and the cables between them fail in turn. Each fault is over before the next one comes.
import { setTimeout as delay } from "node:timers/promises";
import type { Component, JoinedCluster } from "@fairlead/testkit";
import type { Chance } from "./chance.ts";
import { drawFaults } from "./draw-faults.ts";
import type { SmallDisk } from "./small-disk.ts";
import type { SteppedClock } from "./stepped-clock.ts";

export interface Faulted {
  readonly hub: { stop(how: "KILL"): Promise<unknown>; start(): Promise<void> };
  /** What only some kinds of faults at the hub need. */
  readonly hubSide?: Pick<FaultedPlace, "apiServer" | "clock" | "disk">;
  readonly places: readonly FaultedPlace[];
  readonly chance: Chance;
  /** Aborted when no more is to be begun. */
  readonly over: AbortSignal;
}

/** A cluster under the hub. Some kinds of faults need a part that not every place has. */
export interface FaultedPlace {
  readonly joined: JoinedCluster;
  /** No other place may have the same one. */
  readonly apiServer?: Component | undefined;
  /** Puts the cluster back to how it was so many milliseconds ago. */
  readonly goBack?: ((ms: number) => Promise<void>) | undefined;
  /** The disk of the agent's state folder. */
  readonly disk?: Pick<SmallDisk, "fill"> | undefined;
  /** The agent's clock. */
  readonly clock?: SteppedClock | undefined;
}

export type FaultKind =
  | "agent-killed"
  | "agent-stopped"
  | "agent-stands"
  | "hub-killed"
  | "hub-clock-stepped"
  | "hub-api-server-restarted"
  | "hub-disk-full"
  | "cable-cut"
  | "api-server-restarted"
  | "etcd-restored"
  | "disk-full"
  | "clock-stepped";

/** Times are those of this machine. */
export interface PastFault {
  readonly kind: FaultKind;
  readonly place: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export async function keepFailing(options: {
  readonly faulted: Faulted;
  readonly kinds: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly onProgress: (line: string) => void;
  /** Each kind has come once. */
  readonly onRound?: () => void;
}): Promise<readonly PastFault[]> {
  const { faulted, kinds, calmSeconds, onProgress, onRound } = options;
  const { chance, over } = faulted;
  const startedAt = performance.now();
  const past: PastFault[] = [];
  for (const kind of drawFaults(kinds, chance)) {
    if (over.aborted) break;
    await delay(chance.between(calmSeconds[0] * 1000, calmSeconds[1] * 1000));
    const place = chance.pick(faulted.places);
    // Longer than a lease, so that it wakes up to find that others have what it held.
    const seconds = kind === "agent-stands" ? chance.between(33, 45) : chance.between(1, 8);
    const { name } = place.joined;
    onProgress(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${kind} at ${name} for ${seconds} s`);
    const fromMs = Date.now();
    await befall({ faulted, place, kind, seconds, isSilent: chance.pick([true, false]) });
    past.push({ kind, place: name, fromMs, toMs: Date.now() });
    if (past.length === kinds.length) onRound?.();
  }
  return past;
}

async function befall(options: {
  readonly faulted: Faulted;
  readonly place: FaultedPlace;
  readonly kind: FaultKind;
  readonly seconds: number;
  readonly isSilent: boolean;
}): Promise<void> {
  const { faulted, place, kind, seconds, isSilent } = options;
  const { hub, hubSide } = faulted;
  const { agent, cable } = place.joined;
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
    case "api-server-restarted":
      return await restart(need(place.apiServer, kind), seconds, isSilent);
    case "hub-api-server-restarted":
      return await restart(need(hubSide?.apiServer, kind), seconds, isSilent);
    case "etcd-restored":
      return await need(place.goBack, kind)(seconds * 1000);
    case "disk-full":
      return await fill(need(place.disk, kind), seconds);
    case "hub-disk-full":
      return await fill(need(hubSide?.disk, kind), seconds);
    case "clock-stepped":
      return await step(need(place.clock, kind), seconds, isSilent);
    case "hub-clock-stepped":
      return await step(need(hubSide?.clock, kind), seconds, isSilent);
    default:
      return kind satisfies never;
  }
}

async function restart(apiServer: Component, seconds: number, isSilent: boolean): Promise<void> {
  await apiServer.stop(isSilent ? { graceMs: 0 } : {});
  await delay(seconds * 1000);
  await apiServer.start();
}

async function fill(disk: Pick<SmallDisk, "fill">, seconds: number): Promise<void> {
  await using _full = disk.fill();
  await delay(seconds * 1000);
}

async function step(clock: SteppedClock, seconds: number, isForward: boolean): Promise<void> {
  await clock.set(isForward ? dayAndHourMs : -dayAndHourMs);
  await delay(seconds * 1000);
  await clock.set(0);
}

function need<T>(part: T | undefined, kind: FaultKind): T {
  if (part === undefined) throw new Error(`a place has no part for ${kind}`);
  return part;
}

/** More than the time that a command may wait, and than a certificate lives. */
const dayAndHourMs = 25 * 3_600_000;
