/** Choices by chance, the same for the same seed (mulberry32). */
export interface Chance {
  /** A whole number; both ends can come. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError("there is nothing to pick from");
      return from[between(0, from.length - 1)] as T;
    },
  };
}
