/** The known name that a mistyped one most likely stands for. Undefined when no name is near. */
export function findNearest(written: string, known: readonly string[]): string | undefined {
  // Longer than any name, so it isn't a typing error, and comparing it would take time.
  if (written.length > 64) return undefined;
  const lowered = written.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = countEdits(lowered, name.toLowerCase());
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && best.distance <= Math.max(2, written.length / 3) ? best.name : undefined;
}

/** Levenshtein's distance: the letters to insert, delete or replace. */
function countEdits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
