/** The name that was most likely meant; undefined when none is close. */
export function suggestName(written: string, names: readonly string[]): string | undefined {
  // Longer than any name: not a slip of the finger, and its distance would cost time.
  if (written.length > 64) return undefined;
  const lowered = written.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distanceBetween(lowered, name.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [closest] = ranked;
  return closest && closest.distance <= Math.max(2, written.length / 3) ? closest.name : undefined;
}

/** How many letters must be put in, taken out or replaced (Levenshtein). */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
