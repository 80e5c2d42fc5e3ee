// How far a watch has come: the version of its last event, once the client has everything up to that. Initial events come
// in any order, so until they are over the version of the last one says nothing about the others.
import type { WatchFormat } from "./event-tracker.ts";
import type { Bookmark } from "./own-events.ts";
import { type EventFacts, readEvent } from "./read-event.ts";

export class WatchPosition {
  readonly #format: WatchFormat;
  readonly #endsInitial: ReadonlySet<string>;
  #isInOrder: boolean;
  #last: EventFacts | undefined;
  /** The part of an event that has come so far. */
  #held: Buffer = none;
  #heldBytes = 0;

  /** Undefined where the client asked for no bookmarks. */
  static of(format: WatchFormat, path: string): WatchPosition | undefined {
    if (!path.includes("allowWatchBookmarks")) return undefined;
    const query = new URLSearchParams(path.slice(path.indexOf("?") + 1));
    return isTrue(query.get("allowWatchBookmarks")) ? new WatchPosition(format, query) : undefined;
  }

  private constructor(format: WatchFormat, query: URLSearchParams) {
    this.#format = format;
    const isStreamedList = isTrue(query.get("sendInitialEvents"));
    this.#endsInitial = isStreamedList ? bookmarkAlone : anyButAdded;
    this.#isInOrder = !isStreamedList && !["", "0"].includes(query.get("resourceVersion") ?? "");
  }

  /** Undefined while it isn't known. */
  get bookmark(): Bookmark | undefined {
    return this.#last;
  }

  hold(part: Uint8Array): void {
    if (part.byteLength === 0) return;
    const heldBytes = this.#heldBytes + part.byteLength;
    this.#heldBytes = heldBytes;
    if (heldBytes > mostBytes) {
      this.#held = none;
      return;
    }
    if (this.#held.byteLength < heldBytes) {
      const larger = Buffer.allocUnsafe(Math.min(mostBytes, Math.max(2 * heldBytes, 1_024)));
      this.#held.copy(larger, 0, 0, heldBytes - part.byteLength);
      this.#held = larger;
    }
    // A copy, since a part may be a small piece of a large buffer.
    this.#held.set(part, heldBytes - part.byteLength);
  }

  /** The rest of an event has come. */
  endEvent(rest: Uint8Array): void {
    if (this.#heldBytes > 0) this.hold(rest);
    const sizeBytes = Math.max(this.#heldBytes, rest.byteLength);
    const event = this.#heldBytes > 0 ? this.#held.subarray(0, sizeBytes) : rest;
    this.#held = none;
    this.#heldBytes = 0;
    this.#take(sizeBytes > mostBytes ? undefined : readEvent(this.#format, event));
  }

  #take(event: EventFacts | undefined): void {
    if (event && this.#endsInitial.has(event.type)) this.#isInOrder = true;
    // A table's bookmark is a table.
    const isUsable = event !== undefined && this.#isInOrder && event.type !== "ERROR" && event.kind !== "Table";
    this.#last = isUsable ? event : undefined;
  }
}

/** As API servers read a switch of the query: whatever isn't said to be off is on. */
function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

const bookmarkAlone: ReadonlySet<string> = new Set(["BOOKMARK"]);
const anyButAdded: ReadonlySet<string> = new Set(["BOOKMARK", "MODIFIED", "DELETED"]);
const none = Buffer.alloc(0);
/** Of a larger event no version is known. */
const mostBytes = 64 * 1024;
