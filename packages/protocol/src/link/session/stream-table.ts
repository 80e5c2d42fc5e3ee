import type { MuxStream } from "../stream/index.ts";
import { sessionErrors } from "./errors.ts";
import type { Slots } from "./slots.ts";

/**
 * The streams of a link by id. The dialler's are odd, the other side's even; each side uses its own in rising order and
 * none twice, so that one number per side tells a stream that is over from one that never was.
 */
export class StreamTable {
  readonly byId: Map<number, MuxStream> = new Map();
  ownCount = 0;
  peerCount = 0;
  readonly #places: Slots | undefined;
  #nextId: number;
  #lastPeerId: number;
  /** Ids that the peer left out, newest last: those of streams whose large heads wait for their turn. */
  readonly #skipped = new Set<number>();

  constructor(options: {
    readonly isDialler: boolean;
    /** Slots for the peer's streams, shared with other links. */
    readonly places?: Slots | undefined;
  }) {
    this.#places = options.places;
    this.#nextId = options.isDialler ? 1 : 2;
    this.#lastPeerId = options.isDialler ? 0 : -1;
  }

  get nextId(): number {
    return this.#nextId;
  }

  get isUsedUp(): boolean {
    return this.#nextId > maxStreamId;
  }

  add(stream: MuxStream): void {
    this.byId.set(stream.id, stream);
    if (stream.isOpener) {
      this.ownCount++;
      this.#nextId += 2;
    } else {
      this.peerCount++;
    }
  }

  remove(stream: MuxStream): boolean {
    if (!this.byId.delete(stream.id)) return false;
    if (stream.isOpener) {
      this.ownCount--;
    } else {
      this.peerCount--;
      this.givePlace();
    }
    return true;
  }

  /** Takes a place for a stream of the peer. It is given back when the stream is removed. */
  takePlace(): boolean {
    return this.#places?.take() ?? true;
  }

  givePlace(): void {
    this.#places?.give();
  }

  /** Undefined for a stream that is over: its last frames may still be on their way. Throws for one that never was. */
  find(id: number): MuxStream | undefined {
    const stream = this.byId.get(id);
    if (stream === undefined && (this.isOwn(id) ? id >= this.#nextId : id > this.#lastPeerId))
      throw sessionErrors.LINK_UNKNOWN_STREAM({ id });
    return stream;
  }

  takePeerId(id: number): void {
    if (this.isOwn(id) || id <= this.#lastPeerId) throw sessionErrors.LINK_UNKNOWN_STREAM({ id });
    this.#skip(id);
    this.#lastPeerId = id;
  }

  /** For an OPEN in parts, which others may have overtaken. */
  takeOvertakenId(id: number): void {
    if (!this.#skipped.delete(id)) this.takePeerId(id);
  }

  isOwn(id: number): boolean {
    return id % 2 === this.#nextId % 2;
  }

  #skip(nextId: number): void {
    const firstId = this.#lastPeerId + 2;
    for (let id = Math.max(firstId, nextId - 2 * mostSkipped); id < nextId; id += 2) this.#skipped.add(id);
    if (this.#skipped.size <= mostSkipped) return;
    for (const id of this.#skipped) {
      this.#skipped.delete(id);
      if (this.#skipped.size <= mostSkipped) return;
    }
  }
}

/** More than a cluster may have requests with large heads in flight. */
const mostSkipped = 1_024;
const maxStreamId = 0xffff_fff0;
