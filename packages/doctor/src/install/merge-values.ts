import { isRecord } from "@fairlead/kernel";

/**
 * Puts one's own Helm values over an addon's, as Helm merges files of values: maps are joined, everything else is
 * replaced, and null takes a value away.
 */
export function mergeValues(base: unknown, own: unknown): unknown {
  if (!isRecord(base) || !isRecord(own)) return own;
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(own)) {
    if (value === null) delete merged[name];
    else merged[name] = Object.hasOwn(base, name) ? mergeValues(base[name], value) : withoutNulls(value);
  }
  return merged;
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}
