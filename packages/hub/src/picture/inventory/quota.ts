// Bounds how much of the store one cluster's copy may take, deleted objects included: they are kept for a while with
// all that they were. Objects beyond the bound aren't stored, and are brought again by the agent's next comparison.
// Between measurements, which read every row's size, each write counts as if it came on top, so the sum is never lower
// than what there is.
import type { Clock, FairleadError } from "@fairlead/kernel";
import { inventoryErrors } from "./errors.ts";
import type { ObjectStore } from "./object-store.ts";
import type { IncomingRow } from "./read-change.ts";
import type { Used } from "./report-store.ts";

export interface InventoryLimits {
  readonly clusterMaxKinds: number;
  readonly clusterMaxObjects: number;
  readonly clusterMaxBytes: number;
}

export interface Quota {
  /** Returns the rows for which their clusters have room. */
  admit(rows: readonly IncomingRow[]): Promise<readonly IncomingRow[]>;
  /** The copy's share of the store; undefined when this hub has stored nothing of it. */
  usedOf(cluster: string): Used | undefined;
  /** The report comes from another hub, which took the copy for that much at its end; undefined: it didn't say. */
  take(cluster: string, used: Used | undefined): void;
  /** Nothing of it is left, or nothing is known of it any more. */
  forget(cluster?: string): void;
}

export type OnRefused = (about: { readonly cluster: string; readonly kind: string }, error: FairleadError) => void;

export function createQuota(options: {
  readonly store: Pick<ObjectStore, "measure" | "purgeOf" | "findStored">;
  readonly limits: InventoryLimits;
  readonly clock: Clock;
  readonly onRefused: OnRefused;
}): Quota {
  const { store, clock, onRefused } = options;
  const { clusterMaxObjects: maxObjects, clusterMaxBytes: maxBytes } = options.limits;
  const usages = new Map<string, Usage>();
  return {
    async admit(rows) {
      const admitted: IncomingRow[] = [];
      for (const [cluster, own] of Map.groupBy(rows, (row) => row.cluster)) {
        admitted.push(...(await admitOf(cluster, own)));
      }
      return admitted;
    },
    usedOf(cluster) {
      const usage = usages.get(cluster);
      return usage && { objects: Math.ceil(usage.objects), bytes: Math.ceil(usage.bytes) };
    },
    take(cluster, used) {
      // The other hub may have stored a little since. An unknown amount counts as full, so the first write measures.
      const objects = used ? used.objects + maxObjects / 64 : maxObjects;
      const bytes = used ? used.bytes + maxBytes / 64 : maxBytes;
      usages.set(cluster, { objects, bytes, measuredMs: Number.NEGATIVE_INFINITY });
    },
    forget(cluster) {
      if (cluster === undefined) usages.clear();
      else usages.delete(cluster);
    },
  };

  async function admitOf(cluster: string, rows: readonly IncomingRow[]): Promise<readonly IncomingRow[]> {
    const sizeBytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    let usage = usages.get(cluster) ?? unmeasured();
    if (!hasRoom(usage, rows.length, sizeBytes)) usage = await makeRoom(cluster, usage, rows.length, sizeBytes);
    usages.set(cluster, usage);
    if (hasRoom(usage, rows.length, sizeBytes)) {
      usage.objects += rows.length;
      usage.bytes += sizeBytes;
      return rows;
    }
    const stored = await store.findStored(rows);
    return rows.filter((row) => take(usage, row, stored.has(row.uid) ? 0 : 1));
  }

  function take(usage: Usage, row: IncomingRow, objects: number): boolean {
    const sizeBytes = sizeOf(row);
    if (!hasRoom(usage, objects, sizeBytes)) {
      const isOfBytes = usage.bytes + sizeBytes > maxBytes;
      onRefused(
        row,
        isOfBytes
          ? inventoryErrors.INVENTORY_QUOTA_BYTES({ cluster: row.cluster, maxBytes })
          : inventoryErrors.INVENTORY_QUOTA_OBJECTS({ cluster: row.cluster, maxObjects }),
      );
      return false;
    }
    usage.objects += objects;
    usage.bytes += sizeBytes;
    return true;
  }

  /** Deleted objects go first, some at a time: other clusters wait to be written meanwhile. */
  async function makeRoom(cluster: string, known: Usage, objects: number, sizeBytes: number): Promise<Usage> {
    if (clock.steadyMs() - known.measuredMs < measureEveryMs) return known;
    let usage = await measure(cluster);
    for (let chunk = 0; chunk < maxChunks && !hasRoom(usage, objects, sizeBytes); chunk++) {
      if ((await store.purgeOf(cluster)) === 0) return usage;
      usage = await measure(cluster);
    }
    // There may be more of them.
    if (!hasRoom(usage, objects, sizeBytes)) usage.measuredMs = Number.NEGATIVE_INFINITY;
    return usage;
  }

  async function measure(cluster: string): Promise<Usage> {
    const { objects, bytes } = await store.measure(cluster);
    return { objects, bytes: bytes + objects * rowBytes, measuredMs: clock.steadyMs() };
  }

  /** A hub's start measures nothing: it is done as soon as a cluster has written an eighth of what it may have. */
  function unmeasured(): Usage {
    return { objects: (maxObjects * 7) / 8, bytes: (maxBytes * 7) / 8, measuredMs: Number.NEGATIVE_INFINITY };
  }

  function hasRoom(usage: Usage, objects: number, sizeBytes: number): boolean {
    return usage.objects + objects <= maxObjects && usage.bytes + sizeBytes <= maxBytes;
  }
}

interface Usage {
  objects: number;
  bytes: number;
  measuredMs: number;
}

function sizeOf(row: IncomingRow): number {
  return row.body.byteLength + rowBytes;
}

/** The bytes of a row beside its body, in the table and its indexes. */
const rowBytes = 1_024;
const measureEveryMs = 60_000;
const maxChunks = 4;
