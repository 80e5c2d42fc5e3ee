// Limits are for all hubs on a database together. Each hub grants an equal share of them without asking the others, so a
// limit holds also while hubs can't reach each other.

/** A hub's share of a limit, rounded up, so that it is never nothing. 0 stays 0: no limit. */
export function shareOf(limit: number, hubs: number): number {
  return Math.ceil(limit / Math.max(1, hubs));
}
