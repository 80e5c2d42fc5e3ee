// Settles the steps of a run when some of their commands have ended. Pure.
import { type CommandOutcome, type StackStepState, stackStepStates } from "@fairlead/contract";
import { type NodeEvent, type NodeState, nextNodeState } from "../node-state.ts";
import type { Tally } from "../run-state.ts";

export interface RunStep {
  readonly place: number;
  readonly after: readonly number[];
  readonly state: NodeState;
}

/** The states of all steps after what is told, by their places. */
export function settleSteps(
  steps: readonly RunStep[],
  told: {
    /** By the id of the command. */
    readonly outcomes: ReadonlyMap<string, CommandOutcome>;
    readonly isStopping: boolean;
  },
): ReadonlyMap<number, NodeState> {
  const { outcomes, isStopping } = told;
  const states = new Map(steps.map(({ place, state }) => [place, state]));
  const happen = (place: number, event: NodeEvent): void => {
    const state = states.get(place);
    if (state) states.set(place, nextNodeState(state, event));
  };
  for (const { place, state } of steps) {
    const outcome = state.is === "running" ? outcomes.get(state.command) : undefined;
    if (outcome) happen(place, { type: "command-ended", outcome });
    if (isStopping) happen(place, { type: "withdrawn" });
  }
  // Steps after a skipped one are skipped, too.
  for (let blocked = listBlocked(); blocked.length > 0; blocked = listBlocked())
    for (const { place } of blocked) happen(place, { type: "blocked" });
  return states;

  function listBlocked(): readonly RunStep[] {
    return steps.filter(({ place, after }) => states.get(place)?.is === "waiting" && after.some(isLost));
  }

  function isLost(place: number): boolean {
    const is = states.get(place)?.is;
    return is === "failed" || is === "skipped" || is === "cancelled";
  }
}

export function countSteps(states: Iterable<{ readonly is: StackStepState }>): Record<StackStepState, number> {
  const counts = Object.fromEntries(stackStepStates.map((is) => [is, 0])) as Record<StackStepState, number>;
  for (const { is } of states) counts[is]++;
  return counts;
}

/** How the run stands with its steps. Its order is that of edges, so none waits for a later wave. */
export function toTally({ waiting, running, failed, cancelled }: ReturnType<typeof countSteps>): Tally {
  return { waiting, isWaitingNow: waiting > 0, running, failed, cancelled };
}
