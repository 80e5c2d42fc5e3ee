// Sources in which there is something of everything, and a reader of pages.
import { commandOutcomes } from "@fairlead/contract";
import { createHistogram } from "@fairlead/kernel";
import type { ClusterCommands, ClusterTraffic, MetricSources } from "./index.ts";

/** Each cluster has every series that a cluster can have. */
export function makeSources(clusters: readonly string[]): MetricSources & { remove(cluster: string): void } {
  const present = new Set(clusters);
  const commands = new Map(clusters.map((cluster) => [cluster, makeCommands()]));
  const one = new Map([["one", 1]]);
  const stats = {
    streams: { opening: 1, open: 1, halfClosed: 1 },
    bytes: { received: 1, sent: 1 },
    credit: { heldBytes: 1, grantedBytes: 1, queuedBytes: 1 },
    frames: { received: 1, sent: 1 },
    resetsByCode: { 1: 1 },
    queueAgeMs: 1,
    starvedStreams: 0,
    lastRttMs: 1,
    retainedBytes: 1,
    resumes: 1,
  };
  return {
    remove: (cluster) => void present.delete(cluster),
    links: () => [{ stats: () => stats }],
    pastLinks: () => ({ links: 1, ...pastTraffic, resumes: 1, resetsByCode: { 2: 1 } }),
    budget: { totalBytes: 2, grantedBytes: 1 } as MetricSources["budget"],
    proxy: {
      active: 1,
      activeUpgrades: 1,
      byStatus: new Map([[200, 1]]),
      byErrorCode: one,
      byCluster: new Map(clusters.map((cluster) => [cluster, makeTraffic()])),
    },
    api: { byStatus: new Map([[200, 1]]), byErrorCode: one },
    linkErrors: one,
    audit: () => ({ waiting: 1, kept: 1, failures: 1, refused: 1, dropped: 1 }),
    clusters: {
      names: () => [...present].map((name) => ({ name })),
      exists: (name) => present.has(name),
      state(name) {
        if (!present.has(name)) throw new Error(`there is no ${name}`);
        return { state: "connected" };
      },
      links: () => [{ notAfter: 90_000 }, { notAfter: 60_000 }],
    },
    database: () => [{ name: "own", durations: createHistogram([1]), idle: 1, busy: 1, waiting: 1 }],
    certificateEnds: () => new Map([["people", 60_000]]),
    limits: { refused: one, inFlight: 1 },
    recordings: { running: 1 },
    inventory: () => ({ reports: 1, objects: 1, lagMs: 1, isStoreFailing: false, changes: one, errorsByCode: one }),
    copyOf: () => ({ verifiedMs: 0, lagMs: 1, pendingChanges: 1, objects: 1 }),
    commands: () => ({ open: openCommands, finished: one, byCluster: commands }),
    gitops: () => ({
      calls: 1,
      byFlow: new Map([["applications", { objects: 1, dirty: 1, refused: 1 }]]),
      oldestPendingMs: 1,
      heldDeletions: 1,
    }),
    sharing: {
      bus: { adapter: "memory", state: { kind: "up" }, counters: { hints: 1, sent: 1, received: 1, failed: 1 } },
      changes: { counters: { looks: 1, failedLooks: 0, wentBack: 0, rereads: one, failedRereads: one } },
      leases: { heldCount: 1 },
    },
    hubs: { count: () => ({ linked: 1, unlinked: 0 }), relayed: { active: 1, total: 1 } },
    declarations: { documents: 1, isFailing: false, drifts: 1 },
    tracing: { sent: 1, lost: 1 },
  };
}

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function readPage(text: string): readonly Series[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label = "", text = ""]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Series["labels"], value: Number(value) }];
  });
}

function makeTraffic(): ClusterTraffic {
  const ended = new Map(["1xx", "2xx", "3xx", "4xx", "5xx", "cut"].map((status) => [status, 1]));
  const durations = createHistogram([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]);
  return { active: 1, ended, sentBytes: 1, receivedBytes: 1, durations };
}

function makeCommands(): ClusterCommands {
  const durations = createHistogram([0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400]);
  return { open: openCommands, finished: new Map(commandOutcomes.map((outcome) => [outcome, 1])), durations };
}

const openCommands = { queued: 1, awaiting: 1, awaitingPlan: 1, claimed: 1 };
const pastTraffic = { receivedBytes: 1, sentBytes: 1, receivedFrames: 1, sentFrames: 1 };
