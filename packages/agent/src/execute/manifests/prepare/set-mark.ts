import type { ManifestsSpec } from "../types.ts";

/** On each object that a set has applied: two sets never pull at one object, and neither prunes what the other took. */
export const setAnnotation = "fairlead.dev/set";

export function markOf({ namespace, set }: Pick<ManifestsSpec, "namespace" | "set">): string {
  return `${namespace}/${set}`;
}
