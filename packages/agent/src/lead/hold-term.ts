import type { Lead, Term } from "./types.ts";

export interface TermHolder {
  readonly current: Term | undefined;
  untilLeading: Lead["untilLeading"];
  begin(epoch: bigint): void;
  end(reason: string): void;
}

/** The term that this process has, and those who wait for one. */
export function createTermHolder(): TermHolder {
  let current: { readonly term: Term; readonly controller: AbortController } | undefined;
  const waiting = new Set<(term: Term) => void>();
  return {
    get current() {
      return current?.term;
    },
    untilLeading(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (current) return Promise.resolve(current.term);
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(take);
          reject(signal.reason);
        };
        const take = (term: Term): void => {
          signal.removeEventListener("abort", abort);
          resolve(term);
        };
        waiting.add(take);
        signal.addEventListener("abort", abort, { once: true });
      });
    },
    begin(epoch) {
      const controller = new AbortController();
      current = { term: { epoch, signal: controller.signal }, controller };
      for (const take of waiting) take(current.term);
      waiting.clear();
    },
    end(reason) {
      current?.controller.abort(new Error(reason));
      current = undefined;
    },
  };
}
