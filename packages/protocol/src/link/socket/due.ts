// The time of a carrier's next write, within one turn of the event loop.
//
//   nothing ──frame──► after-callback ──callback-ended──► nothing-more ──frame──► after-turn
//      └──bulk──► bulk-after-turn ──frame──► after-callback
//   any ──turn-ended──► nothing
//
// `nothing-more`: the turn's first frames are written, and those that follow wait for its end. Bulk always does, but
// doesn't make a small frame wait that would have been the turn's first.
export type Due = "nothing" | "after-callback" | "nothing-more" | "after-turn" | "bulk-after-turn";

export type DueEvent = "frame" | "bulk" | "callback-ended" | "turn-ended";

export function nextDue(due: Due, event: DueEvent): Due {
  switch (event) {
    case "frame":
      if (due === "nothing" || due === "bulk-after-turn") return "after-callback";
      return due === "nothing-more" ? "after-turn" : due;
    case "bulk":
      if (due === "nothing") return "bulk-after-turn";
      return due === "nothing-more" ? "after-turn" : due;
    case "callback-ended":
      return due === "after-callback" ? "nothing-more" : due;
    case "turn-ended":
      return "nothing";
  }
}
