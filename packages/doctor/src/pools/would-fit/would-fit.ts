import type { Amounts } from "../amounts.ts";
import type { NodePool } from "../node-pool.ts";
import type { FitConstraints, Misfit } from "./misfit.ts";
import { findRefusals } from "./refusals.ts";
import { findShortages } from "./shortages.ts";

export interface FitQuestion {
  readonly pools: readonly NodePool[];
  /** The requests of one pod: cores, bytes, pieces. */
  readonly requests: Amounts;
  readonly constraints?: FitConstraints;
}

export interface Fit {
  readonly pool: string;
  readonly fits: boolean;
  /** Each reason for which it doesn't. */
  readonly misfits: readonly Misfit[];
}

/** For each pool, whether one such pod would find a place there, on a node that is there or one that would be made. */
export function wouldFit({ pools, requests, constraints = {} }: FitQuestion): Fit[] {
  return pools.map((pool) => {
    const misfits = [...findRefusals(pool, constraints), ...findShortages(pool, requests, constraints)];
    return { pool: pool.name, fits: misfits.length === 0, misfits };
  });
}
