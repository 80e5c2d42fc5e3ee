/** True when lists and objects lie in each other deeper than that. Takes no stack itself. */
export function isTooDeep(value: unknown, mostDeep: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const inside = level.filter((one) => typeof one === "object" && one !== null);
    if (inside.length > 0 && depth >= mostDeep) return true;
    level = inside.flatMap((one) => Object.values(one as object));
  }
  return false;
}
