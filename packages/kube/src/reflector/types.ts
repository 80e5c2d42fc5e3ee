import type { Clock, FairleadError } from "@fairlead/kernel";
import type { KubeClient } from "../client/index.ts";
import type { ApiResource, KubeObject, ObjectEvents } from "../objects/index.ts";

/**
 * Told of every object of one kind. Changes come only after the first `onListed`, and never in the middle of a list. A
 * deleted object may be no more than its metadata. While a promise is waited for, the API server's answer waits as well.
 * An error thrown here ends the reflector.
 */
export interface ReflectorHandler<T extends KubeObject = KubeObject> extends Omit<ObjectEvents<T>, "onListed"> {
  onListed(resourceVersion: string): void;
  /**
   * Everything up to this moment is known: an event, a bookmark or a whole list came, or the API server answered
   * something else while the open watch had nothing to say (each few seconds).
   */
  onAlive(): void;
  onState(state: ReflectorState): void;
}

export type ReflectorState =
  | { readonly type: "listing" }
  | { readonly type: "live" }
  | { readonly type: "failing"; readonly error: FairleadError; readonly retryInMs: number };

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  /** All namespaces unless told. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly pageSize?: number | undefined;
  /** Asks for the list as a watch, where the server can do that. */
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
