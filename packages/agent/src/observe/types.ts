// Observing gives these to whoever keeps the hub's copy true: kinds, whole lists of them, and changes. All of it is
// about projections: nothing here holds the value of a Secret or of a ConfigMap.

import type { ObjectEvents } from "@fairlead/kube";

export interface ObservedKind {
  /** `resource[.group]`, such as `pods` or `deployments.apps`: the same whatever version is read. */
  readonly key: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** A CRD's `additionalPrinterColumns`, when it has any. */
  readonly printerColumns?: unknown;
  /** The agent makes its objects itself. */
  readonly derived?: true;
}

export interface ObservedObject {
  readonly uid: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The first eight bytes of the SHA-256 of `json`, big endian. */
  readonly version: bigint;
  /** The projection, JSON in UTF-8. */
  readonly json: Uint8Array;
}

/**
 * The events of all kinds, in this order for each: `onKind`, then any number of lists and changes, then maybe
 * `onKindGone`. `onKind` comes again when something of the kind's description changed. A list: `onListStart`,
 * `onObject` for each object, `onListed`; objects that weren't named between the two are gone. A list that fails
 * half-way is followed by another `onListStart`. Changes may come between the two, when a kind is read namespace by
 * namespace: an object that they apply counts as named, and one that they delete doesn't. `onUnavailable` ends a list
 * that was under way; the objects of the kind are unknown from then on, until the next whole list. A deleted object is
 * told by its uid.
 */
export interface ObserveHandler extends ObjectEvents<ObservedObject, string, [key: string]> {
  onKind(kind: ObservedKind): void;
  /** No longer observed: its objects are to be forgotten. */
  onKindGone(key: string): void;
  /**
   * All kinds that are observed have been told of, so that the hub may forget others that it has. Not called while an API
   * is down: nobody knows then which kinds it has. May come again.
   */
  onKindsComplete(): void;
  /** So long ago (0 unless told) the API server showed that nothing of this kind is missing. */
  onAlive(key: string, agoMs?: number): void;
  onUnavailable(key: string, error: { readonly code: string; readonly message: string }): void;
}

export interface ObjectRef {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectFetcher {
  /** Reads objects again whose bodies were let go. In no special order; `gone`: there's no object of that uid now. */
  fetch(
    key: string,
    refs: readonly ObjectRef[],
    signal: AbortSignal,
  ): AsyncIterable<ObservedObject | { readonly uid: string; readonly gone: true }>;
}

export interface ObservedFeed {
  /** Tells `handler` until `signal` aborts; then resolves. */
  run(handler: ObserveHandler, signal: AbortSignal): Promise<void>;
  readonly fetcher: ObjectFetcher;
  /** Every kind that can be read was listed at least once. */
  isSynced(): boolean;
}
