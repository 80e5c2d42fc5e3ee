/** True when lists and objects lie inside each other more than `levels` deep. What reads or writes JSON may recurse once a level. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((each) => isNestedDeeper(each, levels - 1));
}
