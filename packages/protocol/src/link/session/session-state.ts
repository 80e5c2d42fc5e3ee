// The states of a link's session (docs/PROTOCOL.md §1 and §8).
//
//   greeting ──greeted──► open ──we-leave | peer-leaves──► leaving
//      └──────greeted, GOAWAY was due──────────────────────▲
//   any ──ended──► closed
//
// `greeting`: we haven't said our SETTINGS. The dialler says them at once, the other side once it has the dialler's; what
// else we want to say waits. `leaving`: one side has said GOAWAY, and neither opens streams any more; whoever said it
// closes when its departure is done.
import type { LinkClosed } from "../wire/index.ts";
import type { Departure } from "./departure.ts";

export type SessionState =
  | { readonly is: "greeting"; readonly leaving: Leaving | undefined }
  | { readonly is: "open" }
  | { readonly is: "leaving"; readonly leaving: Leaving }
  | { readonly is: "closed"; readonly closed: LinkClosed };

export interface Leaving {
  /** Undefined while only the peer wants to. */
  readonly ours: Departure | undefined;
  readonly isPeers: boolean;
}

export type SessionEvent =
  | { readonly type: "greeted" }
  | { readonly type: "we-leave"; readonly departure: Departure }
  | { readonly type: "peer-leaves" }
  | { readonly type: "ended"; readonly closed: LinkClosed };

/** The state after an event; the same one where it changes nothing. */
export function nextSessionState(state: SessionState, event: SessionEvent): SessionState {
  if (state.is === "closed") return state;
  switch (event.type) {
    case "greeted":
      if (state.is !== "greeting") return state;
      return state.leaving === undefined ? open : { is: "leaving", leaving: state.leaving };
    case "we-leave":
      return leave(state, {
        ours: leavingOf(state)?.ours ?? event.departure,
        isPeers: leavingOf(state)?.isPeers ?? false,
      });
    case "peer-leaves":
      return leave(state, { ours: leavingOf(state)?.ours, isPeers: true });
    case "ended":
      return { is: "closed", closed: event.closed };
  }
}

/** Undefined while nobody has said that the link is to end. */
export function leavingOf(state: SessionState): Leaving | undefined {
  return state.is === "greeting" || state.is === "leaving" ? state.leaving : undefined;
}

function leave(state: SessionState, leaving: Leaving): SessionState {
  return state.is === "greeting" ? { is: "greeting", leaving } : { is: "leaving", leaving };
}

const open: SessionState = { is: "open" };
