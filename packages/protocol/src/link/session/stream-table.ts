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
  #lastPeerId = 0;

  constructor(options: {
    readonly isDialler: boolean;
    /** Slots for the peer's streams, shared with other links. */
    readonly places?: Slots | undefined;
  }) {
    this.#places = options.places;
    this.#nextId = options.isDialler ? 1 : 2;
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
    if (stream === undefined && (this.#isOwn(id) ? id >= this.#nextId : id > this.#lastPeerId))
      throw sessionErrors.LINK_UNKNOWN_STREAM({ id });
    return stream;
  }

  takePeerId(id: number): void {
    if (this.#isOwn(id) || id <= this.#lastPeerId) throw sessionErrors.LINK_UNKNOWN_STREAM({ id });
    this.#lastPeerId = id;
  }

  #isOwn(id: number): boolean {
    return id % 2 === this.#nextId % 2;
  }
}

const maxStreamId = 0xffff_fff0;
