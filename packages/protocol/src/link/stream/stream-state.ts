// The states of one stream (docs/PROTOCOL.md §4). Its two directions go their own ways:
//
//   sending     headless ──answered──► open ──ended──► ending ──all-sent──► ended
//   receiving   headless ──head-came──► open ──end-came──► ended
//                                       open ──end-came-early──► ending ──rest-came──► ended
//                                                      ending ──rest-unwanted──► finishing ──rest-came──► ended
//
// The opener's sending and the acceptor's receiving begin `open`. `ending` is a direction whose end is known and whose
// bytes aren't all through: our queue isn't empty, or the peer's end came on one lane ahead of its data on another.
// `finishing` is the same on a stream of whose other direction the peer wants no more: its reset counts behind the end.
// A stream is over at a reset, or once its user has been told that both directions have ended.
export type Sending = "headless" | "open" | "ending" | "ended";
export type Receiving = "headless" | "open" | "ending" | "finishing" | "ended";

export type StreamState =
  | { readonly is: "live"; readonly sending: Sending; readonly receiving: Receiving }
  | { readonly is: "over" };

export type StreamEvent =
  /** Our user answered; HEAD is queued. */
  | "answered"
  /** Our user has nothing more to send. */
  | "ended"
  /** All of our direction is on its way, its end included. */
  | "all-sent"
  | "head-came"
  /** The peer's end, behind all of its data. */
  | "end-came"
  | "end-came-early"
  /** The last of the data that an early end had to wait for. */
  | "rest-came"
  /** The peer has answered whole, and wants no more of what we send. */
  | "rest-unwanted"
  /** Our user has been told of everything so far. */
  | "told"
  /** Either side gave the stream up, or the link is lost. */
  | "reset";

/** The state after an event. Undefined when it can't happen now: misuse by our user, or a breach by the peer. */
export function nextStreamState(state: StreamState, event: StreamEvent): StreamState | undefined {
  if (state.is === "over") return undefined;
  const { sending, receiving } = state;
  switch (event) {
    case "answered":
      return sending === "headless" ? live("open", receiving) : undefined;
    case "ended":
      return sending === "open" ? live("ending", receiving) : undefined;
    case "all-sent":
      return sending === "ending" ? live("ended", receiving) : undefined;
    case "head-came":
      return receiving === "headless" ? live(sending, "open") : undefined;
    case "end-came":
      return receiving === "open" ? live(sending, "ended") : undefined;
    case "end-came-early":
      return receiving === "open" ? live(sending, "ending") : undefined;
    case "rest-came":
      return receiving === "ending" || receiving === "finishing" ? live(sending, "ended") : undefined;
    case "rest-unwanted":
      return receiving === "ending" ? live(sending, "finishing") : undefined;
    case "told":
      return sending === "ended" && receiving === "ended" ? over : state;
    case "reset":
      return over;
  }
}

export function firstStreamState(isOpener: boolean): StreamState {
  return isOpener ? live("open", "headless") : live("headless", "open");
}

/** Each combination is there once: streams come and go by the thousand. */
function live(sending: Sending, receiving: Receiving): StreamState {
  return states[sending][receiving];
}

function statesOf(sending: Sending): Readonly<Record<Receiving, StreamState>> {
  const state = (receiving: Receiving): StreamState => ({ is: "live", sending, receiving });
  return {
    headless: state("headless"),
    open: state("open"),
    ending: state("ending"),
    finishing: state("finishing"),
    ended: state("ended"),
  };
}

const over: StreamState = { is: "over" };
const states: Readonly<Record<Sending, Readonly<Record<Receiving, StreamState>>>> = {
  headless: statesOf("headless"),
  open: statesOf("open"),
  ending: statesOf("ending"),
  ended: statesOf("ended"),
};
