/**
 * Gives so many of the positions, in order: the last one, and one at random out of each of equally long parts of the rest,
 * so that no part of the run is left out.
 */
export function choosePositions(options: {
  readonly from: readonly number[];
  readonly count: number;
  readonly seed: number;
}): readonly number[] {
  const { from, count, seed } = options;
  const last = from.at(-1);
  if (last === undefined || from.length <= count) return from;
  const random = randomFrom(seed);
  const startOf = (part: number) => Math.floor((part * (from.length - 1)) / (count - 1));
  const others = Array.from({ length: count - 1 }, (_, part) => {
    const index = startOf(part) + Math.floor(random() * (startOf(part + 1) - startOf(part)));
    return from[index] ?? last;
  });
  return [...others, last];
}

/** Numbers from 0 up to, and without, 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
