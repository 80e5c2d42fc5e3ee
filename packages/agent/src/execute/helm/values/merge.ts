// How layers of values become one: maps merge, lists and everything else replace, null takes away.

/** The later one counts. A null stays in the result: Helm takes away by it what the chart's own values say. */
export function mergeValues(earlier: unknown, later: unknown): unknown {
  if (!isMap(earlier) || !isMap(later)) return later;
  const merged = new Map(Object.entries(earlier));
  for (const [name, value] of Object.entries(later))
    merged.set(name, merged.has(name) ? mergeValues(merged.get(name), value) : value);
  // `__proto__` is a name like any other.
  return Object.fromEntries(merged);
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
