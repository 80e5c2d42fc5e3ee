import type { Target } from "./table.ts";

export function atLeast(value: number, bound: number, what: string): Target {
  return { text: `>= ${bound} ${what}`, value, met: value >= bound };
}

export function atMost(value: number, bound: number, what: string): Target {
  return { text: `<= ${bound} ${what}`, value, met: value <= bound };
}

/** The figure of `way` divided by that of `peer`. */
export function ratioOf(figures: Readonly<Record<string, number>>, way: string, peer: string): number {
  return (figures[way] ?? 0) / (figures[peer] ?? 1);
}
