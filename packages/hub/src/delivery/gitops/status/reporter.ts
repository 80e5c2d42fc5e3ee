// Writes down how the exchange with each cluster stands that this hub owns, so that all hubs can say it.
import type { GitopsFlowStatus } from "@fairlead/contract";
import { type Clock, repeat } from "@fairlead/kernel";
import type { FlowTotals, GitopsTotals } from "../../../platform/telemetry/index.ts";
import type { HubEnds, SyncLog } from "../sync/index.ts";
import type { OwnershipFence } from "../types.ts";
import { describeFlows } from "./describe-flows.ts";
import type { GitopsStatusStore } from "./store.ts";

export interface StatusReporter {
  /** Until it is disposed of. */
  report(fence: OwnershipFence, ends: HubEnds): Disposable;
  /** For metrics. */
  totals(): GitopsTotals;
}

export function createStatusReporter(options: {
  readonly store: Pick<GitopsStatusStore, "write">;
  /** The hub's name among others. */
  readonly hub: string;
  readonly clock: Clock;
  readonly log: SyncLog;
}): StatusReporter {
  const { store, hub, clock, log } = options;
  const served = new Set<HubEnds>();
  return {
    report(fence, ends) {
      const { cluster } = fence;
      const since = new Date(clock.now());
      let told = "";
      let toldMs = 0;
      served.add(ends);
      const telling = repeat({
        clock,
        intervalMs: tellEveryMs,
        firstMs: 0,
        onError: (error) => log.warn({ err: error, cluster }, "how the exchange of applications stands can't be told"),
        async run() {
          const nowMs = clock.now();
          const flows = describeFlows(ends, nowMs);
          const text = JSON.stringify(flows);
          if (text === told && nowMs - toldMs < tellUnchangedEveryMs) return;
          await store.write({ fence, hub, since, at: new Date(nowMs), flows: text });
          told = text;
          toldMs = nowMs;
        },
      });
      return {
        [Symbol.dispose]() {
          served.delete(ends);
          telling[Symbol.dispose]();
        },
      };
    },

    totals() {
      const nowMs = clock.now();
      const all = [...served].flatMap((ends) => describeFlows(ends, nowMs));
      return {
        calls: served.size,
        byFlow: sumByFlow(all),
        oldestPendingMs: all.reduce((most, { oldestChangeAt }) => Math.max(most, ageOf(oldestChangeAt, nowMs)), 0),
        heldDeletions: [...served].reduce((sum, { heldDeletions }) => sum + (heldDeletions?.() ?? 0), 0),
      };
    },
  };
}

function sumByFlow(all: readonly GitopsFlowStatus[]): ReadonlyMap<string, FlowTotals> {
  const totals = new Map<string, FlowTotals>();
  for (const { flow, objects, dirty, refusedCount } of all) {
    const before = totals.get(flow) ?? { objects: 0, dirty: 0, refused: 0 };
    totals.set(flow, {
      objects: before.objects + objects,
      dirty: before.dirty + dirty,
      refused: before.refused + refusedCount,
    });
  }
  return totals;
}

function ageOf(timestamp: string | undefined, nowMs: number): number {
  return timestamp === undefined ? 0 : nowMs - Date.parse(timestamp);
}

const tellEveryMs = 2_000;
const tellUnchangedEveryMs = 30_000;
