// Compares two values of an object, attribute by attribute. Sensitive values are masked, and values that aren't known
// yet say so. Pure.

export interface Change {
  /** `triggers[0].url` */
  readonly path: string;
  /** Absent where there is nothing. */
  readonly from?: unknown;
  readonly to?: unknown;
}

export interface Compared {
  readonly before: unknown;
  readonly after: unknown;
  /** Has the shape of the values, with true where something isn't known yet. */
  readonly unknown?: unknown;
  /** Has the shape of the values, with true where something is sensitive. */
  readonly beforeSensitive?: unknown;
  readonly afterSensitive?: unknown;
}

export function compare(compared: Compared, path = ""): Change[] {
  const { before, after, unknown, beforeSensitive, afterSensitive } = compared;
  if (beforeSensitive === true || afterSensitive === true) {
    if (unknown === undefined && JSON.stringify(before) === JSON.stringify(after)) return [];
    return [{ path, ...(before != null && { from: sensitive }), to: sensitive }];
  }
  if (unknown === true) return [{ path, ...(before != null && { from: show(before) }), to: notKnown }];
  if (!isNested(before) && !isNested(after) && !isNested(unknown)) {
    if (before === after || (before == null && after == null)) return [];
    return [{ path, ...(before != null && { from: show(before) }), ...(after != null && { to: show(after) }) }];
  }
  const scalars = [before, after].map((value) => (isNested(value) ? undefined : value));
  const own = scalars.some((value) => value != null)
    ? compare({ ...compared, before: scalars[0], after: scalars[1], unknown: undefined }, path)
    : [];
  const names = new Set([before, after, unknown].flatMap((value) => (isNested(value) ? Object.keys(value) : [])));
  const members = [...names].flatMap((name) =>
    compare(
      {
        before: member(before, name),
        after: member(after, name),
        unknown: member(unknown, name),
        beforeSensitive: member(beforeSensitive, name),
        afterSensitive: member(afterSensitive, name),
      },
      isList(before, after, unknown) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`,
    ),
  );
  return [...own, ...members];
}

/** Calls back with each value that is sensitive. */
export function eachSensitive(value: unknown, marks: unknown, found: (value: unknown) => void): void {
  if (marks === true) found(value);
  else if (isNested(marks))
    for (const name of Object.keys(marks)) eachSensitive(member(value, name), member(marks, name), found);
}

function show(value: unknown): unknown {
  if (!isNested(value)) return value;
  return Array.isArray(value) ? "[…]" : "{…}";
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isList(...values: readonly unknown[]): boolean {
  return values.some(Array.isArray);
}

function member(value: unknown, name: string): unknown {
  return isNested(value) ? (value as Record<string, unknown>)[name] : undefined;
}

const sensitive = "(sensitive)";
const notKnown = "(known after apply)";
