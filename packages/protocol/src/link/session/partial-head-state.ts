// The states of the one head that the peer sends in parts at the moment (docs/PROTOCOL.md §4). Other frames may come
// between its parts, but no part of another head.
//
//              ┌──rest-came | ended───┐
//              ▼                      │
//   none ──────────part──────────► gathering ──refused | given-up──► refused
//    ▲ └─────────refused──────────────┼───────────────────────────────► │
//    └─────────────rest-came | ended──┼─────────────────────────────────┤
//                                     └──◄──part of another head────────┘
//
// `gathering`: parts are here, and the OPEN or HEAD with the rest isn't. `refused`: this side doesn't want the head, and
// ignores what is still on its way.
export type PartialHead =
  | { readonly is: "none" }
  | { readonly is: "gathering"; readonly stream: number; readonly parts: readonly Buffer[]; readonly sizeBytes: number }
  | { readonly is: "refused"; readonly stream: number };

export type PartialHeadEvent =
  | { readonly type: "part"; readonly stream: number; readonly bytes: Uint8Array }
  /** The OPEN or HEAD of a stream came. */
  | { readonly type: "rest-came"; readonly stream: number }
  /** This side doesn't take the part that has just come. */
  | { readonly type: "refused"; readonly stream: number }
  /** This side has reset a stream, of which parts may be there. */
  | { readonly type: "given-up"; readonly stream: number }
  /** The peer has reset a stream. */
  | { readonly type: "ended"; readonly stream: number };

/** The state after an event; the same one where it means nothing. `interrupted`: a part where none may come. */
export function nextPartialHead(state: PartialHead, event: PartialHeadEvent): PartialHead | "interrupted" {
  const { stream } = event;
  const isOfSame = state.is !== "none" && state.stream === stream;
  switch (event.type) {
    case "part":
      if (state.is !== "gathering") return isOfSame ? state : gather(stream, [], 0, event.bytes);
      return isOfSame ? gather(stream, state.parts, state.sizeBytes, event.bytes) : "interrupted";
    case "rest-came":
    case "ended":
      return isOfSame ? none : state;
    case "refused":
      return isOfSame || state.is !== "gathering" ? { is: "refused", stream } : state;
    case "given-up":
      return isOfSame ? { is: "refused", stream } : state;
  }
}

/** Copies the part: its message may be a small piece of a large buffer. */
function gather(stream: number, parts: readonly Buffer[], sizeBytes: number, bytes: Uint8Array): PartialHead {
  return { is: "gathering", stream, parts: [...parts, Buffer.from(bytes)], sizeBytes: sizeBytes + bytes.byteLength };
}

const none: PartialHead = { is: "none" };
