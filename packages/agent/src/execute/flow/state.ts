// A flow's memory in the cluster: the outcome of each ended step, and the kind's own memory of one that hasn't ended.
import type { Task } from "../types.ts";
import type { StepOutcome } from "./expression/types.ts";
import type { Outputs } from "./outputs.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

export type StepState =
  /** `state` is what a plan left for its run. `asked`: people are asked about that plan. */
  | {
      readonly is: "pending";
      readonly state?: unknown;
      readonly approvedDigest?: string | undefined;
      readonly asked?: AskedPlan | undefined;
    }
  | {
      readonly is: "running";
      readonly beganAtMs: number;
      readonly attempt: number;
      readonly state?: unknown;
      readonly approvedDigest?: string | undefined;
    }
  | EndedStep;

/** A plan that was made when the flow came to its step. */
export interface AskedPlan {
  /** The digest of the step's kind. */
  readonly digest: string;
  /** The digest that is approved: the flow's own. */
  readonly own: string;
}

export interface EndedStep {
  readonly is: "ended";
  readonly outcome: StepOutcome;
  readonly beganAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  readonly attempts?: number | undefined;
  /** The plan by which it was carried out, where people approved it. */
  readonly approvedDigest?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly outputs: Outputs;
  /** As its kind says it, redacted. */
  readonly result?: unknown;
  /** The result didn't fit any more. */
  readonly isResultOmitted?: boolean | undefined;
}

interface FlowState {
  readonly version: 1;
  /** A plan may have written what there is so far. */
  readonly isBegun: boolean;
  readonly steps: readonly StepState[];
}

export class FlowRecord {
  readonly #task: Pick<Task<FlowSpec>, "state">;
  readonly #steps: StepState[];
  #isBegun: boolean;

  constructor(task: Pick<Task<FlowSpec>, "state" | "spec">) {
    this.#task = task;
    const known = task.state.read() as FlowState | undefined;
    this.#isBegun = known?.isBegun ?? false;
    this.#steps = task.spec.steps.map((_, index) => known?.steps[index] ?? { is: "pending" });
  }

  /** A run of the same command has begun with steps. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  at(index: number): StepState {
    return this.#steps[index] ?? { is: "pending" };
  }

  /** Undefined for a step that isn't at its end. */
  ended(index: number): EndedStep | undefined {
    const state = this.at(index);
    return state.is === "ended" ? state : undefined;
  }

  async begin(): Promise<void> {
    this.#isBegun = true;
    await this.#write();
  }

  async set(index: number, state: StepState): Promise<void> {
    this.#steps[index] = state;
    await this.#write();
  }

  /** The memory of one step's kind. */
  slice(index: number): Task<FlowStep>["state"] {
    return {
      read: () => {
        const state = this.at(index);
        return state.is === "ended" ? undefined : state.state;
      },
      write: async (state) => {
        const known = this.at(index);
        // A kind that is at its end has nothing to remember.
        if (known.is !== "ended") await this.set(index, { ...known, state });
      },
    };
  }

  async #write(): Promise<void> {
    const state: FlowState = { version: 1, isBegun: this.#isBegun, steps: [...this.#steps] };
    await this.#task.state.write(state);
  }
}
