// Examines the cluster once. The first snapshot has the watched objects; further rounds read what the checks ask for
// beside them.
import { type CheckReport, examineCluster, type Profile, type Report, Snapshot } from "@fairlead/doctor";
import type { Clock } from "@fairlead/kernel";
import { judgeReserved } from "./judge-reserved.ts";
import { type Looks, noLooks, noteLook } from "./looks.ts";
import type { PrometheusReader } from "./prometheus-reader.ts";
import type { SideReader } from "./side-reader.ts";
import { notAsked, readableApart, takeSnapshot, type WaysToLook } from "./take-snapshot.ts";

export interface Examination {
  readonly report: Report;
  readonly looks: Looks;
  /** CPU time of computing, without that of requests. */
  readonly tookMs: number;
}

export async function examine(options: {
  readonly ways: WaysToLook;
  readonly side: SideReader;
  /** Undefined: nothing is asked over the cluster's network. */
  readonly prometheus: PrometheusReader | undefined;
  /** The last examination's; the next one looks at most of them again. */
  readonly looksBefore: Looks | undefined;
  readonly profile: Profile;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** CPU time that this process has used. On a busy node it is a fraction of what the clock says. */
  readonly cpuMs?: () => number;
}): Promise<Examination> {
  const { ways, side, prometheus, looksBefore, profile, clock, signal, cpuMs = readCpuMs } = options;
  if (looksBefore) await side.readFor(wantedOf(looksBefore, ways), signal);
  let tookMs = 0;
  for (let round = 0; ; round++) {
    const looks = noLooks();
    const beganMs = cpuMs();
    const snapshot = new Snapshot({
      ...takeSnapshot(ways),
      ...(prometheus && { metrics: prometheus.answers }),
      onLook: (look) => noteLook(looks, look),
    });
    const report = examineCluster({ snapshot, profile, now: new Date(clock.now()) });
    tookMs += cpuMs() - beganMs;
    const hasRead = round < maxRounds && (await side.readFor(wantedOf(looks, ways), signal));
    if (hasRead) continue;
    side.keepOnly(looks);
    prometheus?.want(looks.metrics, signal);
    const checks = withOwn(report.checks, judgeReserved(ways.catalogue));
    const hidden = prometheus
      ? report.hidden
      : [...report.hidden, { resource: "queries of Prometheus", why: notAsked }];
    return { report: { ...report, checks, hidden }, looks, tookMs };
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function wantedOf(looks: Looks, ways: WaysToLook) {
  return { resources: readableApart(ways, looks.resources), configMaps: looks.configMaps };
}

function withOwn(checks: readonly CheckReport[], own: CheckReport): readonly CheckReport[] {
  return [...checks, own].toSorted((one, other) => (one.check.id < other.check.id ? -1 : 1));
}

/** Reads in rounds, since objects name others: an argument of a container may name a ConfigMap. */
const maxRounds = 4;
