// The order of resources. Pure.

/** Names such that each one comes before the next and the last is the first again; undefined: there are none. */
export function findCycle(before: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  for (const name of before.keys()) {
    const cycle = follow(name, []);
    if (cycle) return cycle;
  }
  return undefined;

  function follow(name: string, path: readonly string[]): readonly string[] | undefined {
    const index = path.indexOf(name);
    if (index >= 0) return [...path.slice(index), name];
    if (seen.has(name)) return undefined;
    for (const other of before.get(name) ?? []) {
      const cycle = follow(other, [...path, name]);
      if (cycle) return cycle;
    }
    seen.add(name);
    return undefined;
  }
}

/** All names, each after those that come before it, and else as they are given. There must be no cycle. */
export function sortByOrder(before: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const sorted = new Set<string>();
  const visit = (name: string): void => {
    if (sorted.has(name) || !before.has(name)) return;
    for (const other of before.get(name) ?? []) visit(other);
    sorted.add(name);
  };
  for (const name of before.keys()) visit(name);
  return [...sorted];
}
