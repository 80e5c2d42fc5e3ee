// The life of a stack's run.
//
//   running ──cancelled──► cancelling: what was begun goes on to its end, nothing more is begun
//   running, cancelling ──all steps are over──► ended: succeeded, failed or cancelled
import type { StackRunOutcome, StackStepState } from "@fairlead/contract";

export type RunState =
  | { readonly is: "running" }
  | { readonly is: "cancelling" }
  | { readonly is: "ended"; readonly outcome: StackRunOutcome };

export type RunEvent =
  /** How it stands with its steps. */
  | { readonly type: "looked"; readonly steps: Readonly<Record<StackStepState, number>> }
  | { readonly type: "cancel-asked" };

/** The state after an event; the same one where it changes nothing. */
export function nextRunState(state: RunState, event: RunEvent): RunState {
  if (state.is === "ended") return state;
  switch (event.type) {
    case "cancel-asked":
      return { is: "cancelling" };
    case "looked": {
      const { waiting, running, failed, cancelled } = event.steps;
      if (waiting + running > 0) return state;
      // A run that was cancelled after its last step had ended keeps the outcome that it had.
      if (cancelled > 0) return { is: "ended", outcome: state.is === "cancelling" ? "cancelled" : "failed" };
      return { is: "ended", outcome: failed > 0 ? "failed" : "succeeded" };
    }
  }
}
