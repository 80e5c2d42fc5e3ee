// This hub's knowledge of a lease that it took. Only the database knows for sure. Times here are by this hub's own
// clock, on the safe side of the database's.
export type LeaseState =
  /** Until then nobody else can have it. */
  | { readonly kind: "held"; readonly untilMs: number }
  /** Another has it, or may have it by now. */
  | { readonly kind: "lost" }
  | { readonly kind: "released" };

export type LeaseEvent =
  /** The database took a renewal that was asked for when the lease had as long to go. */
  | { readonly kind: "renewed"; readonly untilMs: number; readonly nowMs: number }
  /** The database said that the lease isn't this hub's. */
  | { readonly kind: "refused" }
  | { readonly kind: "time"; readonly nowMs: number }
  | { readonly kind: "released" };

export function nextLeaseState(state: LeaseState, event: LeaseEvent): LeaseState {
  if (state.kind !== "held") return state;
  switch (event.kind) {
    case "renewed":
      // An answer that comes too late is none: the signal was due, and whoever waits for it counts on it.
      if (event.nowMs >= state.untilMs) return { kind: "lost" };
      return { kind: "held", untilMs: Math.max(state.untilMs, event.untilMs) };
    case "refused":
      return { kind: "lost" };
    case "time":
      return event.nowMs >= state.untilMs ? { kind: "lost" } : state;
    case "released":
      return { kind: "released" };
  }
}
