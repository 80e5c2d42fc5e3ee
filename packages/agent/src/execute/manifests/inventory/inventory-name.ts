/** The ConfigMap in the set's namespace that says which objects are of the set. */
export function inventoryName(set: string): string {
  return `fairlead-set-${set}`;
}
