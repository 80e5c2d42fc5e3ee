import type { HeldLease } from "../../../platform/leases/index.ts";
import type { OwnershipFence } from "../types.ts";

/** The clusters whose sync this hub owns. Calls of agents fill it, and who writes to a Kubernetes cluster asks it. */
export class OwnedSyncs {
  readonly #owned = new Map<string, { readonly lease: HeldLease; readonly signal: AbortSignal }>();

  /** Until it is disposed of, or until the signal aborts. */
  own(cluster: string, owned: { readonly lease: HeldLease; readonly signal: AbortSignal }): Disposable {
    this.#owned.set(cluster, owned);
    return {
      [Symbol.dispose]: () => {
        if (this.#owned.get(cluster) === owned) this.#owned.delete(cluster);
      },
    };
  }

  /** Whether this hub owns the cluster's sync under that term, by the clock. */
  isOwner({ cluster, term }: OwnershipFence): boolean {
    const { lease, signal } = this.#owned.get(cluster) ?? {};
    return lease?.fence === term && lease.isHeld && signal?.aborted === false;
  }
}
