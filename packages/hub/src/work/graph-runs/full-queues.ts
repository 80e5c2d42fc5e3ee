// Nodes whose clusters' queues are full. A run tries each of its nodes once in a pass, and begins the next pass later each
// time, so that thousands of full queues cost the database little. What is kept of a run is bounded.
import type { Clock } from "@fairlead/kernel";

export interface FullQueues {
  /** The nodes that a run leaves alone: these, and those up to a place. */
  skipped(run: string): { readonly upTo: number; readonly places: readonly number[] };
  refuse(run: string, place: number): void;
  /** No other node can be begun. */
  endPass(run: string): void;
  forget(run: string): void;
}

export function createFullQueues(clock: Pick<Clock, "steadyMs">): FullQueues {
  const passes = new Map<string, Pass>();
  return {
    skipped(run) {
      const pass = passes.get(run);
      if (!pass) return { upTo: 0, places: [] };
      if (pass.isOver && pass.nextMs <= clock.steadyMs()) {
        // After a pass in which no queue was full the next wait is short again.
        if (!pass.hasRefused) passes.delete(run);
        Object.assign(pass, { upTo: 0, places: [], isOver: false, hasRefused: false });
      }
      return pass;
    },

    refuse(run, place) {
      const pass = passes.get(run) ?? { upTo: 0, places: [], isOver: false, hasRefused: false, nextMs: 0, waitMs: 0 };
      if (!pass.hasRefused) {
        pass.waitMs = Math.min(2 * pass.waitMs || firstWaitMs, mostWaitMs);
        pass.nextMs = clock.steadyMs() + pass.waitMs;
      }
      pass.hasRefused = true;
      pass.places.push(place);
      if (pass.places.length > mostPlaces) {
        pass.upTo = Math.max(pass.upTo, ...pass.places);
        pass.places = [];
      }
      passes.set(run, pass);
    },

    endPass(run) {
      const pass = passes.get(run);
      if (pass) pass.isOver = true;
    },

    forget: (run) => void passes.delete(run),
  };
}

interface Pass {
  upTo: number;
  places: number[];
  isOver: boolean;
  hasRefused: boolean;
  /** When the next pass may begin. */
  nextMs: number;
  waitMs: number;
}

/** More than the steps of a stack, whose turns don't follow the order of their places. */
const mostPlaces = 256;
/**
 * Less than the time between two looks. With the same time the next look could come just too early, and the cluster would
 * wait for the one after it.
 */
const firstWaitMs = 4_000;
const mostWaitMs = 64_000;
