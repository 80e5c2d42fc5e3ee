// Where a follower stands. Looks at the counters are numbered: `covered` is the newest one all of whose commits it has read.
import type { CounterValue } from "./counters.ts";

export type FollowerState = { readonly covered: number } & (
  | { readonly kind: "unread" }
  /** Nothing was raised since `value`, as far as anybody looked. */
  | { readonly kind: "even"; readonly value: CounterValue }
  /** Under way since the counter had the value of `now`; `next` is another value that was seen meanwhile. */
  | { readonly kind: "reading"; readonly now: Look; readonly next: Look | undefined }
  /** Waits to try again. */
  | { readonly kind: "failed"; readonly next: Look }
  | { readonly kind: "ended" }
);

export interface Look {
  readonly number: number;
  readonly value: CounterValue;
}

export type FollowerEvent =
  | { readonly kind: "looked"; readonly look: Look }
  | { readonly kind: "read" }
  | { readonly kind: "failed" }
  | { readonly kind: "due" }
  | { readonly kind: "ended" };

export const unread: FollowerState = { kind: "unread", covered: 0 };

export function nextFollowerState(state: FollowerState, event: FollowerEvent): FollowerState {
  const { covered } = state;
  if (event.kind === "ended") return { kind: "ended", covered };
  switch (state.kind) {
    case "unread":
      return event.kind === "looked" ? { kind: "reading", covered, now: event.look, next: undefined } : state;
    case "even":
      if (event.kind !== "looked") return state;
      // A restored database has lower values: any other one has moved.
      return event.look.value === state.value
        ? { ...state, covered: event.look.number }
        : { kind: "reading", covered, now: event.look, next: undefined };
    case "reading":
      switch (event.kind) {
        case "looked":
          // Nothing was committed since it began, so what it reads covers this look, too.
          if (state.next === undefined && event.look.value === state.now.value) return { ...state, now: event.look };
          return { ...state, next: event.look };
        case "read":
          return state.next === undefined
            ? { kind: "even", covered: state.now.number, value: state.now.value }
            : { kind: "reading", covered: state.now.number, now: state.next, next: undefined };
        case "failed":
          return { kind: "failed", covered, next: state.next ?? state.now };
        case "due":
          return state;
      }
      break;
    case "failed":
      if (event.kind === "looked") return { ...state, next: event.look };
      return event.kind === "due" ? { kind: "reading", covered, now: state.next, next: undefined } : state;
    case "ended":
      return state;
  }
}

/** True when a transition begins a reread. */
export function beginsReading(before: FollowerState, event: FollowerEvent, after: FollowerState): boolean {
  return after.kind === "reading" && (before.kind !== "reading" || event.kind === "read");
}
