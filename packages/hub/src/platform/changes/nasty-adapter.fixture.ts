// A bus that loses messages, brings them late, twice and in another order, and is away now and then, as told.
import { busErrors } from "../bus/errors.ts";
import type { Adapter, TransportEvents } from "../bus/index.ts";

export type Fate = "deliver" | "lose" | "double" | "keep" | "fail";

export interface NastyHall {
  adapter(): Adapter;
  /** Decides on each message; `keep` holds it back until `release`. */
  fate: () => Fate;
  /** Delivers what was held back, the newest first. */
  release(): void;
  setAway(isAway: boolean): void;
  /** Somebody else speaks on the bus. */
  say(text: string): void;
}

export function createNastyHall(): NastyHall {
  const members = new Set<TransportEvents>();
  let kept: (() => void)[] = [];
  const hall: NastyHall = {
    fate: () => "deliver",
    release() {
      const all = kept.reverse();
      kept = [];
      for (const deliver of all) deliver();
    },
    setAway(isAway) {
      const error = busErrors.BUS_AWAY({ where: "of the test", reason: "told to be" });
      for (const each of members) each.onState(isAway ? { kind: "away", error, sinceMs: 0 } : { kind: "up" });
    },
    say(text) {
      for (const each of members) each.onMessage(text);
    },
    adapter: () => ({
      name: "memory",
      async open(events) {
        members.add(events);
        return {
          async send(text) {
            const deliver = (): void => {
              for (const each of members) if (each !== events) each.onMessage(text);
            };
            const fate = hall.fate();
            if (fate === "fail") throw new Error("told to fail");
            if (fate === "keep") kept.push(deliver);
            if (fate === "deliver" || fate === "double") deliver();
            if (fate === "double") deliver();
          },
          async [Symbol.asyncDispose]() {
            members.delete(events);
          },
        };
      },
    }),
  };
  return hall;
}
