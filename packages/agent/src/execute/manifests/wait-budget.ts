import type { Task } from "../types.ts";
import type { Readiness } from "./readiness/readiness.ts";
import { type AppliedObject, untilReady } from "./readiness/until-ready.ts";
import type { ManifestsSpec } from "./types.ts";

/** The time that all waves together may wait until their objects are ready. */
export class WaitBudget {
  readonly #task: Task<ManifestsSpec>;
  #leftMs: number;

  constructor(task: Task<ManifestsSpec>) {
    this.#task = task;
    this.#leftMs = (task.spec.waitTimeoutSeconds ?? 0) * 1000;
  }

  /** Returns what isn't ready; nothing when the set isn't to wait. */
  async wait(applied: readonly AppliedObject[]): Promise<ReadonlyMap<string, Readiness>> {
    const task = this.#task;
    if (task.spec.waitTimeoutSeconds === undefined) return new Map();
    const startedAtMs = task.clock.steadyMs();
    const unready = await untilReady({ task, applied, deadlineMs: startedAtMs + this.#leftMs });
    this.#leftMs = Math.max(0, this.#leftMs - (task.clock.steadyMs() - startedAtMs));
    return unready;
  }
}
