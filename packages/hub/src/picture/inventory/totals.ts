// The inventory's figures for metrics.
import { isFairleadError } from "@fairlead/kernel";
import type { InventoryTotals } from "../../platform/telemetry/index.ts";
import type { Freshness } from "./freshness.ts";
import type { CommittedChange } from "./types.ts";

export interface TotalsCounter {
  countChanges(changes: readonly CommittedChange[]): void;
  /** An agent's call was refused or ended by it. */
  countError(error: unknown): void;
  read(): InventoryTotals;
}

export function createTotals(freshness: Freshness): TotalsCounter {
  const changes = new Map<string, number>();
  const errorsByCode = new Map<string, number>();
  return {
    countChanges(committed) {
      for (const { change } of committed) add(changes, change);
    },
    countError(error) {
      if (isFairleadError(error)) add(errorsByCode, error.code);
    },
    read() {
      const all = freshness.list();
      const totals = all.map(([cluster]) => freshness.summarize(cluster));
      return {
        reports: all.filter(([, { session }]) => session !== undefined).length,
        objects: totals.reduce((sum, { objects }) => sum + objects, 0),
        lagMs: totals.reduce((longest, { lagMs }) => Math.max(longest, lagMs), 0),
        isStoreFailing: freshness.storeFailure() !== undefined,
        changes,
        errorsByCode,
      };
    },
  };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
