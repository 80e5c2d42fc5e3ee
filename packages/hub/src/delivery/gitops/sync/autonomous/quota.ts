import type { ReplicaRefusal } from "@fairlead/protocol";

export interface MirrorLimits {
  readonly maxMirrors: number;
  readonly maxBytes: number;
}

/** Bounds the room that a cluster's mirrors take at the hub. A mirror that is there may always shrink or go. */
export class MirrorQuota {
  readonly #limits: MirrorLimits;
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(limits: MirrorLimits) {
    this.#limits = limits;
  }

  /** Counts it at once, so that writes on their way can't exceed it together. Undefined: there is room. */
  take(key: string, sizeBytes: number): ReplicaRefusal | undefined {
    const before = this.#sizes.get(key);
    const isMore = sizeBytes > (before ?? 0);
    const { maxMirrors, maxBytes } = this.#limits;
    const isOver = this.#bytes - (before ?? 0) + sizeBytes > maxBytes;
    if (isMore && (isOver || (before === undefined && this.#sizes.size >= maxMirrors))) {
      const message = `The hub shows at most ${maxMirrors} of these objects of a cluster, with ${maxBytes} bytes in total.`;
      return { reason: "quota", message, retryAfterMs: 0 };
    }
    this.set(key, sizeBytes);
    return undefined;
  }

  /** It is there. */
  set(key: string, sizeBytes: number): void {
    this.#bytes += sizeBytes - (this.#sizes.get(key) ?? 0);
    this.#sizes.set(key, sizeBytes);
  }

  drop(key: string): void {
    this.#bytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }
}

export const applicationLimits: MirrorLimits = { maxMirrors: 5_000, maxBytes: 256 * 1_024 * 1_024 };
export const projectLimits: MirrorLimits = { maxMirrors: 500, maxBytes: 16 * 1_024 * 1_024 };
