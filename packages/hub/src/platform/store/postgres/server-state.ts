// The life of the hub's own server, as the hub sees it.
//   starting -> running -> down -> running ...     it is started again for as long as the hub wants it
//   any -> stopping -> stopped                      the hub ends and takes it along
//   any -> left                                     another hub has it now
import type { ProcessMark } from "../folder/process-mark.ts";

export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly process: ProcessMark }
  /** `attempt` counts how often it couldn't be started since it last ran. */
  | { readonly kind: "down"; readonly reason: string; readonly attempt: number }
  | { readonly kind: "stopping" }
  | { readonly kind: "stopped" }
  | { readonly kind: "left" };

export type ServerEvent =
  | { readonly kind: "ran"; readonly process: ProcessMark }
  | { readonly kind: "ended"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "stop" }
  | { readonly kind: "leave" };

/** An event that means nothing in a state leaves the state as it is. */
export function nextServerState(state: ServerState, event: ServerEvent): ServerState {
  switch (event.kind) {
    case "ran":
      return state.kind === "starting" || state.kind === "down" ? { kind: "running", process: event.process } : state;
    case "ended":
      if (state.kind === "stopping") return { kind: "stopped" };
      return state.kind === "running" ? { kind: "down", reason: event.reason, attempt: 0 } : state;
    case "failed":
      if (state.kind === "starting") return { kind: "down", reason: event.reason, attempt: 1 };
      return state.kind === "down" ? { kind: "down", reason: event.reason, attempt: state.attempt + 1 } : state;
    case "stop":
      if (state.kind === "running") return { kind: "stopping" };
      return state.kind === "starting" || state.kind === "down" ? { kind: "stopped" } : state;
    case "leave":
      return state.kind === "stopping" || state.kind === "stopped" ? state : { kind: "left" };
  }
}
