// Clocks of hubs may differ by minutes. Their shared rows have times by the clock of their database, which each hub
// learns from the answers of the database.

export interface StoreTime {
  toStored(ms: number): number;
  fromStored(date: Date): number;
}

export interface LearntTime extends StoreTime {
  /** The database said its time between the two moments of this hub's clock. */
  learn(said: { readonly askedMs: number; readonly answeredMs: number; readonly storeMs: number }): void;
}

/** For a hub that has its database alone: nobody else reads its times. */
export const sameTime: StoreTime = { toStored: (ms) => ms, fromStored: (date) => date.getTime() };

export function createLearntTime(): LearntTime {
  let offsetMs: number | undefined;
  return {
    toStored: (ms) => ms + (offsetMs ?? 0),
    fromStored: (date) => date.getTime() - (offsetMs ?? 0),
    learn({ askedMs, answeredMs, storeMs }) {
      // A slow answer leaves room for what is known already.
      const least = storeMs - answeredMs;
      const most = storeMs - askedMs;
      offsetMs = Math.min(most, Math.max(least, offsetMs ?? Math.round((least + most) / 2)));
    },
  };
}
