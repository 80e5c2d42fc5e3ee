import { orAbort } from "@fairlead/kernel";
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
    async untilLeading(signal) {
      signal.throwIfAborted();
      if (current) return current.term;
      const { promise, resolve } = Promise.withResolvers<Term>();
      waiting.add(resolve);
      return await orAbort(promise, signal).finally(() => waiting.delete(resolve));
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
