// The life of one node of a graph run.
//
//   waiting ──begun──► running ──its command has ended──► succeeded, failed or cancelled
//   waiting ──can't be begun──► failed;  ──nothing is there to do it to──► succeeded
//   waiting ──one before it didn't succeed──► skipped;  ──the run is cancelled──► cancelled
import type { CommandOutcome } from "@fairlead/contract";

export type NodeState =
  | { readonly is: "waiting" }
  | { readonly is: "running"; readonly command: string }
  | {
      readonly is: "succeeded" | "failed" | "skipped" | "cancelled";
      readonly command?: string | undefined;
    };

export type NodeEvent =
  | { readonly type: "begun"; readonly command: string }
  | { readonly type: "refused" }
  | { readonly type: "nothing-there" }
  | { readonly type: "blocked" }
  | { readonly type: "withdrawn" }
  | { readonly type: "command-ended"; readonly outcome: CommandOutcome };

/** The state after an event; the same one where it changes nothing. */
export function nextNodeState(state: NodeState, event: NodeEvent): NodeState {
  if (state.is === "waiting") return afterWaiting(state, event);
  if (state.is !== "running" || event.type !== "command-ended") return state;
  const { command } = state;
  const { outcome } = event;
  return { is: outcome === "succeeded" || outcome === "cancelled" ? outcome : "failed", command };
}

function afterWaiting(state: NodeState, event: NodeEvent): NodeState {
  switch (event.type) {
    case "begun":
      return { is: "running", command: event.command };
    case "refused":
      return { is: "failed" };
    case "nothing-there":
      return { is: "succeeded" };
    case "blocked":
      return { is: "skipped" };
    case "withdrawn":
      return { is: "cancelled" };
    case "command-ended":
      return state;
  }
}
