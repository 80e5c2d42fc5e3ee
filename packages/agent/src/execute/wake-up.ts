import { type Clock, onAbort, sleep } from "@fairlead/kernel";

/** A wait that others may end. A call while nobody waits ends the next wait at once. */
export interface WakeUp {
  soon(): void;
  /** Resolves when it was asked for, when the time is over, and when the signal aborts. */
  wait(forMs: number, signal: AbortSignal): Promise<void>;
}

export function createWakeUp({ clock }: { readonly clock: Clock }): WakeUp {
  let asked = new AbortController();
  return {
    soon: () => asked.abort(),
    async wait(forMs, signal) {
      using _listening = onAbort(signal, () => asked.abort());
      await sleep(forMs, { clock, signal: asked.signal }).catch(() => undefined);
      asked = new AbortController();
    },
  };
}
