import type { Clock, FairleadError } from "@fairlead/kernel";
import type { ApiResource } from "./api-resource.ts";
import type { KubeClient } from "./client.ts";
import type { KubeObject } from "./kube-object.ts";

/**
 * Told of every object of one kind, one call after the other. What returns a promise is waited for, and the API
 * server's answer waits as well. An error thrown here ends the reflector.
 */
export interface ReflectorHandler<T extends KubeObject = KubeObject> {
  /** A whole list begins: what isn't named between this and `onListed` is gone. One that broke off begins again. */
  onListStart(): void;
  /** May name an object twice in one list: the later one is newer. */
  onObject(object: T): void | Promise<void>;
  onListed(resourceVersion: string): void;
  /** Only after the first `onListed`, and never in the middle of a list. */
  onChange(change: ReflectorChange<T>): void | Promise<void>;
  /**
   * Everything up to this moment is known: an event, a bookmark or a whole list came, or the API server answered
   * something else while the open watch had nothing to say (each few seconds).
   */
  onAlive(): void;
  onState(state: ReflectorState): void;
}

/** A deleted object may be no more than its metadata. */
export interface ReflectorChange<T extends KubeObject = KubeObject> {
  readonly type: "applied" | "deleted";
  readonly object: T;
}

export type ReflectorState =
  | { readonly type: "listing" }
  | { readonly type: "live" }
  | { readonly type: "failing"; readonly error: FairleadError; readonly retryInMs: number };

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  /** All namespaces unless told. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly pageSize?: number | undefined;
  /** Whether to ask for the list as a watch, where the server can do that. */
  readonly isStreaming?: boolean | undefined;
  readonly handler: ReflectorHandler;
  readonly clock?: Clock | undefined;
  readonly signal: AbortSignal;
  /** In [0, 1). */
  readonly random?: (() => number) | undefined;
  /** How long one watch may last; 5 to 10 minutes unless told. */
  readonly watchTimeoutSeconds?: number | undefined;
  /** A watch from which nothing came for so long is given up. API servers send bookmarks about each minute. */
  readonly silentMs?: number | undefined;
}
