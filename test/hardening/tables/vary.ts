// Objects by the dozen from a few lists of their parts.

/** All of an object but its kind and its name. */
export type Shape = Readonly<Record<string, unknown>>;

/** Shapes of kinds, such as `deployments.apps`. */
export type KindShapes = Readonly<Record<string, readonly Shape[]>>;

/** Fewer shapes than this don't count as compared. */
export const shapesOfKind = 20;

/** Shapes with one part of each list: at least twenty, and enough for each part to be in one. */
export function vary(...lists: readonly (readonly Shape[])[]): Shape[] {
  const length = Math.max(shapesOfKind, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, index) => {
    // Each list moves on by another step per round, so that parts of two lists don't always meet the same ones.
    const parts = lists.map((list, step) => list[(index + step * Math.floor(index / list.length)) % list.length] ?? {});
    return parts.reduce((whole, part) => merge(whole, part), {});
  });
}

/** Adds the members of `part`; lists and plain values take the place of what was there. */
export function merge(whole: Shape, part: Shape): Shape {
  const merged: Record<string, unknown> = { ...whole };
  for (const [name, member] of Object.entries(part)) {
    const known = merged[name];
    merged[name] = isShape(known) && isShape(member) ? merge(known, member) : member;
  }
  return merged;
}

/** As the API server writes times. */
export function ago(seconds: number): string {
  return `${new Date(Date.now() - seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** As the API server writes times in events. */
export function agoExactly(seconds: number): string {
  return new Date(Date.now() - seconds * 1_000).toISOString().replace("Z", "123Z");
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** One for each way to write a span, on both sides of where it changes. */
export const spans: readonly number[] = [
  30,
  100,
  3 * minute,
  5 * minute + 30,
  42 * minute,
  150 * minute,
  4 * hour,
  5 * hour + 7 * minute,
  9 * hour,
  30 * hour,
  3 * day,
  6 * day + 5 * hour,
  40 * day,
  500 * day,
  3 * year,
  4 * year + 17 * day,
  11 * year,
  -30,
];

export function condition(type: string, status: string, reason = "Because"): Shape {
  return { type, status, reason, message: "", lastTransitionTime: ago(600) };
}

export function conditions(...all: readonly Shape[]): Shape {
  return { status: { conditions: all } };
}

function isShape(value: unknown): value is Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
