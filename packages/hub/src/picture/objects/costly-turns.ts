// Questions that no index answers look at every object that the caller may see. A few of them run at a time on the whole
// hub, one of each caller, and some wait; so whatever else is asked waits for a few of them at most.
import { type Clock, systemClock } from "@fairlead/kernel";
import { tooBusy } from "./errors.ts";
import type { Filter } from "./filter.ts";

export interface CostlyTurns {
  /** Throws OBJECTS_TOO_BUSY. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>;
}

export interface CostlyLimits {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  readonly maxWaitingOfOne: number;
  readonly maxWaitMs: number;
}

/** True when it asks for something that no index answers. */
export function isCostly({ search, fields, labels }: Filter): boolean {
  const isIndexed = labels.every((one) => one.type === "in" && one.values.length === 1);
  return search !== undefined || fields.length > 0 || !isIndexed;
}

export function createCostlyTurns(
  options: { readonly clock?: Clock; readonly limits?: CostlyLimits } = {},
): CostlyTurns {
  const { clock = systemClock, limits = defaultLimits } = options;
  /** In the order in which their turns come: who had one goes behind. */
  const callers = new Map<string, Caller>();
  let running = 0;
  let waiting = 0;
  return {
    async run(caller, work) {
      await take(caller);
      try {
        return await work();
      } finally {
        giveBack(caller);
      }
    },
  };

  function take(name: string): Promise<void> {
    const caller = callers.get(name) ?? { isRunning: false, waiting: [] };
    callers.set(name, caller);
    if (!caller.isRunning && running < limits.maxRunning) {
      caller.isRunning = true;
      running += 1;
      return Promise.resolve();
    }
    if (caller.waiting.length >= limits.maxWaitingOfOne) throw tooBusy("own");
    if (waiting >= limits.maxWaiting) throw tooBusy("hub");
    return new Promise((resolve, reject) => {
      waiting += 1;
      const cancel = clock.after(limits.maxWaitMs, () => {
        waiting -= 1;
        caller.waiting.splice(caller.waiting.indexOf(begin), 1);
        forget(name, caller);
        reject(tooBusy("hub"));
      });
      const begin = (): void => {
        cancel();
        waiting -= 1;
        resolve();
      };
      caller.waiting.push(begin);
    });
  }

  function giveBack(name: string): void {
    const caller = callers.get(name);
    if (!caller) return;
    running -= 1;
    caller.isRunning = false;
    callers.delete(name);
    if (caller.waiting.length > 0) callers.set(name, caller);
    for (const one of callers.values()) {
      if (running >= limits.maxRunning) return;
      if (one.isRunning) continue;
      const begin = one.waiting.shift();
      if (!begin) continue;
      one.isRunning = true;
      running += 1;
      begin();
    }
  }

  function forget(name: string, caller: Caller): void {
    if (!caller.isRunning && caller.waiting.length === 0) callers.delete(name);
  }
}

interface Caller {
  isRunning: boolean;
  readonly waiting: (() => void)[];
}

const defaultLimits: CostlyLimits = { maxRunning: 2, maxWaiting: 64, maxWaitingOfOne: 4, maxWaitMs: 10_000 };
