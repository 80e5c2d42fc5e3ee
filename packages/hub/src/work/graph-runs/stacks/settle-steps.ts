// Settles a run and its steps when some of their commands have ended. Pure.
import { type CommandOutcome, type StackStepState, stackStepStates } from "@fairlead/contract";
import { nextRunState, type RunEvent, type RunState } from "./run-state.ts";
import { nextStepState, type StepEvent, type StepState } from "./step-state.ts";

export interface RunStep {
  readonly place: number;
  readonly after: readonly number[];
  readonly state: StepState;
}

export interface SettledRun {
  readonly run: RunState;
  readonly steps: ReadonlyMap<number, StepState>;
}

export function settleSteps(
  run: RunState,
  steps: readonly RunStep[],
  told: {
    /** By the id of the command. */
    readonly outcomes: ReadonlyMap<string, CommandOutcome>;
    readonly isCancelled?: boolean | undefined;
  },
): SettledRun {
  const before = told.isCancelled ? nextRunState(run, { type: "cancel-asked" }) : run;
  const states = new Map(steps.map(({ place, state }) => [place, state]));
  const happen = (place: number, event: StepEvent): void => {
    const state = states.get(place);
    if (state) states.set(place, nextStepState(state, event));
  };
  for (const { place, state } of steps) {
    const outcome = state.is === "running" ? told.outcomes.get(state.command) : undefined;
    if (outcome) happen(place, { type: "command-ended", outcome });
    if (before.is === "cancelling") happen(place, { type: "withdrawn" });
  }
  // Steps after a skipped one are skipped, too.
  for (let blocked = listBlocked(); blocked.length > 0; blocked = listBlocked())
    for (const { place } of blocked) happen(place, { type: "blocked" });
  return { run: nextRunState(before, toLook(states)), steps: states };

  function listBlocked(): readonly RunStep[] {
    return steps.filter(({ place, after }) => states.get(place)?.is === "waiting" && after.some(isLost));
  }

  function isLost(place: number): boolean {
    const is = states.get(place)?.is;
    return is === "failed" || is === "skipped" || is === "cancelled";
  }
}

/** Places of the steps whose turn it is. */
export function listReady(steps: readonly RunStep[]): readonly number[] {
  const done = new Set(steps.flatMap(({ place, state }) => (state.is === "succeeded" ? [place] : [])));
  const ready = steps.filter(({ state, after }) => state.is === "waiting" && after.every((place) => done.has(place)));
  return ready.map(({ place }) => place);
}

export function countSteps(states: Iterable<{ readonly is: StackStepState }>): Record<StackStepState, number> {
  const counts = Object.fromEntries(stackStepStates.map((is) => [is, 0])) as Record<StackStepState, number>;
  for (const { is } of states) counts[is]++;
  return counts;
}

function toLook(states: ReadonlyMap<number, StepState>): RunEvent {
  return { type: "looked", steps: countSteps(states.values()) };
}
