// Whether the database is still the one that was read before. A standby that takes over may lack the newest commits,
// and so may one that was restored from a backup. Slots that a hub remembers, to go on from there, are of no use then.
import type { CounterValue, DatabasePlace } from "./counters.ts";

export interface Era {
  /** Rises whenever what was read before may not be gone on from. */
  readonly number: number;
  readonly place: DatabasePlace | undefined;
  /** The highest values that were seen in this era, by topic. */
  readonly values: ReadonlyMap<string, string>;
}

export const firstEra: Era = { number: 0, place: undefined, values: new Map() };

/** `went-back`: what was committed before may be lost. `restarted`: nothing is lost, but numbers of transactions may be. */
export type EraChange = "none" | "restarted" | "went-back";

export function nextEra(
  era: Era,
  seen: DatabasePlace & { readonly values: ReadonlyMap<string, CounterValue> },
): { readonly era: Era; readonly change: EraChange } {
  const change = judge(era, seen);
  const values = new Map(change === "none" ? era.values : []);
  for (const [topic, value] of seen.values) if (value !== undefined) values.set(topic, value);
  const place = { history: seen.history ?? era.place?.history, server: seen.server };
  return { change, era: { number: era.number + (change === "none" ? 0 : 1), place, values } };
}

function judge({ place, values }: Era, seen: Parameters<typeof nextEra>[1]): EraChange {
  if (place === undefined) return "none";
  const isOther = place.history !== undefined && seen.history !== undefined && place.history !== seen.history;
  const isLower = [...seen.values].some(([topic, value]) => BigInt(value ?? 0) < BigInt(values.get(topic) ?? 0));
  if (isOther || isLower) return "went-back";
  return place.server === seen.server ? "none" : "restarted";
}
