// The hub's side of Argo CD's objects, as a port. Two adapters are behind it: the hub's own store, and a Kubernetes cluster
// where an unmodified Argo CD runs, with a namespace for each cluster of ours.
import type { GitopsKind, GitopsObject, ReplicaRefusal } from "@fairlead/protocol";

export interface HubObjects extends AsyncDisposable {
  /** The kinds that this adapter can keep. Objects of other kinds are neither listed nor written. */
  readonly kinds: ReadonlySet<GitopsKind>;

  /**
   * All objects of a kind and scope, and then every change of them until the signal aborts. The handler is told of whole
   * listings and of single changes; after a watch that broke it is told of a listing again. Objects that were deleted
   * meanwhile are missing there, and aren't told as `deleted`.
   */
  watch(options: WatchScope & { readonly handler: HubObjectsHandler; readonly signal: AbortSignal }): Promise<void>;

  /**
   * Reads an object as it is now, with every earlier write. Undefined: it isn't there, and that is certain. A failed
   * read throws.
   */
  get(object: HubObjectName, signal: AbortSignal): Promise<GitopsObject | undefined>;

  /**
   * Makes an object that has no uid. An object with a uid is replaced as a whole, and must have the resourceVersion
   * that was read: if somebody else wrote meanwhile, it is a conflict. Status, operation and finalizers stay as they
   * are.
   */
  writeContent(write: HubWrite): Promise<HubWriteResult>;

  /** The same for status, operation, and the annotations that stay behind (refreshes, and ours). Never makes an object. */
  writeStatus(write: HubWrite): Promise<HubWriteResult>;

  /** The same for finalizers; an empty list lets an object go that is being deleted. */
  writeFinalizers(write: HubWrite): Promise<HubWriteResult>;

  /** Asks for the deletion of just this object: by its uid. It goes when it has no finalizers. */
  remove(removal: HubRemoval): Promise<HubWriteResult>;
}

export interface WatchScope {
  readonly kind: GitopsKind;
  /** Undefined: in all namespaces that the adapter may see. */
  readonly namespace: string | undefined;
  /** As in the Kubernetes API; empty: all. */
  readonly labelSelector: string;
}

export interface HubObjectsHandler {
  /** These are all there are. */
  listed(objects: readonly GitopsObject[]): void;
  changed(object: GitopsObject): void;
  deleted(object: GitopsObject): void;
  /** The watch broke or the kind can't be read. What is known stays, and nothing is deleted for it. */
  unavailable(reason: string): void;
}

export interface HubObjectName {
  readonly kind: GitopsKind;
  readonly namespace: string;
  readonly name: string;
}

export interface HubWrite {
  readonly kind: GitopsKind;
  readonly object: GitopsObject;
  /** Undefined: a person asked for it. The resource version alone decides then. */
  readonly fence: OwnershipFence | undefined;
  readonly signal: AbortSignal;
}

export interface HubRemoval extends HubObjectName {
  readonly uid: string;
  /** Undefined: a person asked for it. */
  readonly fence: OwnershipFence | undefined;
  readonly signal: AbortSignal;
}

/**
 * Under which ownership of a cluster's sync something is written. The store adapter compares the term in the transaction
 * that writes, and nobody can take the lease until that has ended. The Kubernetes adapter can't; it checks the lease right before each write, and writes with the resourceVersion
 * that was read under the same term, so that a hub that slept overwrites nothing that its successor wrote.
 */
export interface OwnershipFence {
  readonly cluster: string;
  readonly term: bigint;
}

/** Errors of the network throw; these are answers. */
export type HubWriteResult =
  /** `object` is there now; undefined after a removal. */
  | { readonly is: "written"; readonly object: GitopsObject | undefined }
  /** Somebody else wrote first. Read again, and decide anew. */
  | { readonly is: "conflict" }
  /** There is no such object, or it is another one (uid). */
  | { readonly is: "missing" }
  /** The term is over: another hub owns the cluster's sync. */
  | { readonly is: "fenced" }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };
