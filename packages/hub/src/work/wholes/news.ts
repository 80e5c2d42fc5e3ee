// Says that something happened to what has commands as its parts, or to one of these commands. Other hubs hear it by the bus.
// It is a hint: the hub that looks after such wholes looks by itself, too.
import type { Bus } from "../../platform/bus/index.ts";

export interface WholeNews extends Disposable {
  /** Never throws and never waits. */
  tell(id: string): void;
  /** Undefined: something may have been missed. */
  listen(listener: (id: string | undefined) => void): Disposable;
}

export function createWholeNews(bus: Pick<Bus, "hint" | "onHint">, topic: string): WholeNews {
  const listeners = new Set<(id: string | undefined) => void>();
  const hearing = bus.onHint((hint) => {
    if (hint.kind === "everything") return spread(undefined);
    if (hint.topic !== topic) return;
    for (const id of hint.details ?? [undefined]) spread(id);
  });
  return {
    tell(id) {
      spread(id);
      bus.hint(topic, id);
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]() {
      hearing[Symbol.dispose]();
      listeners.clear();
    },
  };

  function spread(id: string | undefined): void {
    for (const listener of [...listeners]) listener(id);
  }
}
