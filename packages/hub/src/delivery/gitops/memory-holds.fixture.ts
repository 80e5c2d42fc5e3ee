// Deletions that wait, and records of operations, in the memory of a test: over all calls of it.
import type { DeletionHolds, KeptDeletions, KeptOperations } from "./sync/index.ts";

export interface MemoryHolds extends DeletionHolds {
  readonly kept: KeptDeletions;
  /** Confirms the deletions that wait now. */
  confirm(): Promise<void>;
}

export function createMemoryHolds(): MemoryHolds {
  let kept: KeptDeletions = { held: new Map(), sinceMs: 0, letGo: [], confirmed: [], confirmedAt: null };
  const rereads = new Set<() => Promise<void>>();
  return {
    get kept() {
      return kept;
    },
    read: async () => kept,
    async write({ confirmedAt, ...told }) {
      const isTaken = confirmedAt?.getTime() === kept.confirmedAt?.getTime();
      kept = { ...kept, ...told, confirmed: isTaken ? [] : kept.confirmed };
    },
    follow(reread) {
      rereads.add(reread);
      return { [Symbol.asyncDispose]: async () => void rereads.delete(reread) };
    },
    async confirm() {
      kept = { ...kept, held: new Map(), confirmed: [...kept.held.keys()], confirmedAt: new Date() };
      for (const reread of rereads) await reread();
    },
  };
}

export type MemoryOperations = KeptOperations & { readonly kept: Map<string, object> };

export function createMemoryOperations(): MemoryOperations {
  const kept = new Map<string, object>();
  return {
    kept,
    read: async () => new Map(kept),
    async write(uid, record) {
      if (record === undefined) kept.delete(uid);
      else kept.set(uid, record);
    },
  };
}
