// How old the data of subscriptions is: told when a cluster's state changes and every few seconds, to all at once.
import type { LiveMessage } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { InventoryReader } from "../inventory/index.ts";
import { toDataAge } from "../objects/index.ts";

export interface AgeListener {
  readonly id: string;
  readonly kinds: ReadonlySet<string> | undefined;
  clusters(): readonly string[];
  send(text: string): void;
}

export interface Ages extends Disposable {
  add(listener: AgeListener): void;
  remove(listener: AgeListener): void;
}

export function createAges(options: {
  readonly inventory: Pick<InventoryReader, "freshness" | "onFreshnessChanged">;
  readonly clock: Clock;
}): Ages {
  const { inventory, clock } = options;
  const listeners = new Set<AgeListener>();
  let cancel = clock.after(everyMs, tick);
  let isSoon = false;
  const stop = inventory.onFreshnessChanged(() => {
    if (isSoon) return;
    isSoon = true;
    cancel();
    cancel = clock.after(soonMs, tick);
  });
  return {
    add(listener) {
      listeners.add(listener);
      listener.send(format(listener));
    },
    remove: (listener) => void listeners.delete(listener),
    [Symbol.dispose]() {
      stop();
      cancel();
      listeners.clear();
    },
  };

  function tick(): void {
    isSoon = false;
    cancel = clock.after(everyMs, tick);
    for (const listener of listeners) listener.send(format(listener));
  }

  function format({ id, kinds, clusters }: AgeListener): string {
    const message: LiveMessage = {
      type: "ages",
      id,
      clusters: clusters().map((name) => toDataAge(inventory.freshness(name), kinds)),
    };
    return JSON.stringify(message);
  }
}

const everyMs = 5_000;
const soonMs = 200;
