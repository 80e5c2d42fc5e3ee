// The body of a watch on its way: knows whether an event may be added to it, and with which the hub ends it.
import type { Status } from "../status.ts";
import { createEventTracker, type EventTracker, type WatchFormat, watchFormatOf } from "./event-tracker.ts";
import { encodeBookmark, encodeErrorEvent } from "./own-events.ts";
import { WatchPosition } from "./position.ts";

export interface WatchBody {
  push(chunk: Uint8Array): void;
  /** The last bytes of the body; undefined within an event, where nothing can be added. */
  lastEvents(status: Status): Buffer | undefined;
}

/** Undefined for an answer whose events can't be told apart, or whose length was announced. */
export function openWatchBody(answer: {
  readonly path: string;
  readonly headers: readonly string[];
  readonly contentLength: number;
}): WatchBody | undefined {
  const format = answer.contentLength < 0 ? watchFormatOf(answer.headers) : undefined;
  return format && new Body(format, answer.path);
}

class Body implements WatchBody {
  readonly #format: WatchFormat;
  readonly #events: EventTracker;
  /** Followed only for a client that asked for bookmarks. */
  readonly #position: WatchPosition | undefined;

  constructor(format: WatchFormat, path: string) {
    this.#format = format;
    this.#events = createEventTracker(format);
    this.#position = WatchPosition.of(format, path);
  }

  push(chunk: Uint8Array): void {
    const position = this.#position;
    if (!position) {
      this.#events.push(chunk);
      return;
    }
    let from = 0;
    this.#events.push(chunk, (at) => {
      position.endEvent(chunk.subarray(from, at));
      from = at;
    });
    position.hold(chunk.subarray(from));
  }

  lastEvents(status: Status): Buffer | undefined {
    if (!this.#events.isBetweenEvents) return undefined;
    const error = encodeErrorEvent(this.#format, status);
    const bookmark = this.#position?.bookmark;
    return bookmark ? Buffer.concat([encodeBookmark(this.#format, bookmark), error]) : error;
  }
}
