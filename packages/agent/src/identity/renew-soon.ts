import type { Clock } from "@fairlead/kernel";

/** The hub's wish that the certificate be renewed before its time. */
export interface RenewSoon {
  /** From when on it is due by the hub's wish; undefined without one. By the steady clock. */
  readonly dueAtMs: number | undefined;
  /** Asks for a renewal at a random time within this. A wish that is still open stays as it is. */
  ask(withinMs: number): void;
  /** For the wish was met. */
  met(): void;
  /** Calls back for each new wish; returns the way to stop that. */
  onAsked(listener: () => void): () => void;
}

export function createRenewSoon(options: { readonly clock: Clock; readonly random?: () => number }): RenewSoon {
  const { clock, random = Math.random } = options;
  const listeners = new Set<() => void>();
  let dueAtMs: number | undefined;
  return {
    get dueAtMs() {
      return dueAtMs;
    },
    ask(withinMs) {
      if (dueAtMs !== undefined) return;
      dueAtMs = clock.steadyMs() + random() * Math.min(withinMs, longestMs);
      for (const listener of [...listeners]) listener();
    },
    met() {
      dueAtMs = undefined;
    },
    onAsked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const longestMs = 24 * 60 * 60_000;
