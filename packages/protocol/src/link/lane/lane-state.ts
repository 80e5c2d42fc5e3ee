// The states of one lane of a link (docs/PROTOCOL.md §10). Lane 0 begins `up` with the connection that the link was
// opened on; lane 1 begins `absent` and comes about when bulk is seen.
//
//               ┌──────────────────── attached (another connection takes over) ─────────────────┐
//   absent ─────┼─ attached ──► replaying ──caught-up──► up ──lost──► waiting ──attached──► replaying
//      └─asked─► dialling ─attached─┘                    ├──parked──► parked ──attached──► replaying
//                  ▲                                     │               │
//                  └────────────────────────────── asked ────────────────┘
//
// Only the side that dials is ever `dialling`; the other one is found by an attached connection in any state. A lane that
// is `waiting` is counted on: when its time is up, it is `absent` again, and the link may be over with it. A `parked` one
// is needed by nobody. Its numbers stay; those of an `absent` lane are gone.
import type { Carrier, LinkClosed } from "../wire/index.ts";

export type LaneState =
  | { readonly is: "absent" }
  /** A dial that is given up isn't repeated: the link does without. */
  | { readonly is: "dialling"; readonly from: "absent" | "parked" }
  /** There is a connection, and what the last one took with it goes first. */
  | { readonly is: "replaying"; readonly carrier: Carrier }
  | { readonly is: "up"; readonly carrier: Carrier }
  | { readonly is: "waiting"; readonly cause: LinkClosed }
  | { readonly is: "parked" };

export type LaneEvent =
  /** Bulk was seen, and this side dials. */
  | { readonly type: "asked" }
  | { readonly type: "attached"; readonly carrier: Carrier }
  | { readonly type: "caught-up" }
  /** The connection is gone, and the next one is awaited. */
  | { readonly type: "lost"; readonly cause: LinkClosed }
  /** The connection was closed for idleness by either side. */
  | { readonly type: "parked" }
  /** Nobody brought the next connection in time. */
  | { readonly type: "expired" }
  /** The link is over. */
  | { readonly type: "closed" };

/** The state after an event; the same one where it means nothing. */
export function nextLaneState(state: LaneState, event: LaneEvent): LaneState {
  switch (event.type) {
    case "asked":
      return state.is === "absent" || state.is === "parked" ? { is: "dialling", from: state.is } : state;
    case "attached":
      return { is: "replaying", carrier: event.carrier };
    case "caught-up":
      return state.is === "replaying" ? { is: "up", carrier: state.carrier } : state;
    case "lost":
      return hasCarrier(state) ? { is: "waiting", cause: event.cause } : state;
    case "parked":
      return hasCarrier(state) ? parked : state;
    case "expired":
      return state.is === "waiting" ? absent : state;
    case "closed":
      return absent;
  }
}

export function hasCarrier(state: LaneState): state is Extract<LaneState, { carrier: Carrier }> {
  return state.is === "up" || state.is === "replaying";
}

const absent: LaneState = { is: "absent" };
const parked: LaneState = { is: "parked" };
