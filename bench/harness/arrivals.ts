// Which numbered changes came, and how long after they were sent.
import { wallMs } from "./wall-clock.ts";

export interface Arrivals {
  /** Number of a change and when it was sent, as `17 1700000000000.5`. */
  note(text: string | undefined): void;
  /** Takes what came since the last call. */
  take(): TakenArrivals;
}

export interface TakenArrivals {
  readonly numbers: Set<number>;
  readonly latenciesMs: number[];
}

export function createArrivals(): Arrivals {
  let numbers = new Set<number>();
  let latenciesMs: number[] = [];
  return {
    note(text) {
      if (text === undefined) return;
      const [number = "", at = ""] = text.split(" ");
      if (numbers.has(Number(number))) return;
      numbers.add(Number(number));
      latenciesMs.push(wallMs() - Number(at));
    },
    take() {
      const taken = { numbers, latenciesMs };
      numbers = new Set();
      latenciesMs = [];
      return taken;
    },
  };
}
