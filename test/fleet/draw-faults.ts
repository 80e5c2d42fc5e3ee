import type { Chance } from "./chance.ts";

/** Draws without end. Each of the kinds comes once, in an order by chance, before any comes again. */
export function* drawFaults<Kind>(kinds: readonly Kind[], chance: Chance): Generator<Kind, never> {
  for (;;) {
    const left = [...kinds];
    while (left.length > 0) yield* left.splice(chance.between(0, left.length - 1), 1);
  }
}
