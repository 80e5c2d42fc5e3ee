import type { LinkStream, StreamHandlers } from "./types.ts";

/** For a stream that was refused or answered: what is still on its way is nobody's, and its credit goes back. */
export function unheard(stream: LinkStream): StreamHandlers {
  return { onData: (chunk) => stream.consumed(chunk.byteLength), onEnd() {}, onReset() {} };
}
