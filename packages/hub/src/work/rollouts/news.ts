// Says that something happened to a rollout, or to a command of one. Other hubs hear it by the bus. It is a hint: the hub that
// looks after rollouts looks by itself, too.
import type { Bus } from "../../platform/bus/index.ts";

export interface RolloutNews extends Disposable {
  /** Never throws and never waits. */
  tell(rollout: string): void;
  /** Undefined: something may have been missed. */
  listen(listener: (rollout: string | undefined) => void): Disposable;
}

export function createRolloutNews(bus: Pick<Bus, "hint" | "onHint">): RolloutNews {
  const listeners = new Set<(rollout: string | undefined) => void>();
  const hearing = bus.onHint((hint) => {
    if (hint.kind === "everything") return spread(undefined);
    if (hint.topic !== topic) return;
    for (const rollout of hint.details ?? [undefined]) spread(rollout);
  });
  return {
    tell(rollout) {
      spread(rollout);
      bus.hint(topic, rollout);
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

  function spread(rollout: string | undefined): void {
    for (const listener of [...listeners]) listener(rollout);
  }
}

const topic = "rollouts";
