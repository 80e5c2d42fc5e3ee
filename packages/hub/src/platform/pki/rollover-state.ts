// The hub's certificate authorities while one follows another.
//
//   single ──rotated──► overlapping ──retired──► single
//
// Where several hubs share them, any state may be found instead of the one that a hub knew.
//
// While they overlap both are trusted, agents' certificates are signed by the coming one, and the listeners go on showing
// certificates of the leaving one: everybody trusts that, and not everybody knows the other yet.
import type { Authority } from "@fairlead/protocol/x509";

export type Rollover = Single | Overlapping;

export interface Single {
  readonly is: "single";
  readonly current: Authority;
}

export interface Overlapping {
  readonly is: "overlapping";
  readonly leaving: Authority;
  readonly coming: Authority;
}

export type RolloverEvent =
  | { readonly type: "rotated"; readonly coming: Authority }
  /** The leaving one isn't trusted any more. */
  | { readonly type: "retired" }
  /** Another hub has got as far as this, maybe by several steps. */
  | { readonly type: "found"; readonly state: Rollover };

/** The state after an event; the same one where it means nothing. */
export function nextRollover(state: Rollover, event: RolloverEvent): Rollover {
  switch (event.type) {
    case "rotated":
      if (state.is === "overlapping") return state;
      return { is: "overlapping", leaving: state.current, coming: event.coming };
    case "retired":
      return state.is === "overlapping" ? { is: "single", current: state.coming } : state;
    case "found":
      return toFingerprints(event.state) === toFingerprints(state) ? state : event.state;
  }
}

/** Signs agents' certificates. */
export function signerOf(state: Rollover): Authority {
  return state.is === "single" ? state.current : state.coming;
}

/** Signs the listeners' certificates: the one that everybody knows, for as long as it holds. */
export function shownOf(state: Rollover, nowMs: number): Authority {
  if (state.is === "single") return state.current;
  return state.leaving.notAfter > nowMs ? state.leaving : state.coming;
}

/** Their certificates are taken; the shown one comes first. */
export function trustedOf(state: Rollover, nowMs: number): readonly Authority[] {
  if (state.is === "single") return [state.current];
  const { leaving, coming } = state;
  return shownOf(state, nowMs) === leaving ? [leaving, coming] : [coming];
}

function toFingerprints(state: Rollover): string {
  const all = state.is === "single" ? [state.current] : [state.leaving, state.coming];
  return all.map(({ fingerprint }) => fingerprint).join();
}
