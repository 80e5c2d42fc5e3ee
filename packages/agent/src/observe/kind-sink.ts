// Where the objects of one kind go on their way from the API server to whoever observes: projected one by one, or, for
// events, only as many as are wanted.
import type { ApiResource, KubeObject, ObjectEvents } from "@fairlead/kube";
import { EventBook } from "./bound-events.ts";
import type { ObservedObject, ObserveHandler } from "./types.ts";

export interface SinkOptions {
  readonly key: string;
  readonly resource: ApiResource;
  readonly handler: ObserveHandler;
  readonly project: (resource: ApiResource, object: KubeObject) => ObservedObject;
}

export function createObjectSink({ key, resource, handler, project }: SinkOptions): ObjectEvents {
  return {
    onListStart: () => handler.onListStart(key),
    onObject: (object) => handler.onObject(key, project(resource, object)),
    onListed: () => handler.onListed(key),
    onApplied: (object) => handler.onApplied(key, project(resource, object)),
    onDeleted: (object) => handler.onDeleted(key, object.metadata.uid),
  };
}

/**
 * A list of events is told when it is whole: it names the oldest first, and telling of each would be a flood of objects
 * that are gone in the next moment. No more wait than the bounds allow.
 */
export function createEventSink({ key, resource, handler, project }: SinkOptions): ObjectEvents {
  const cache = new EventBook();
  let listed: Map<string, ObservedObject> | undefined;
  return {
    onListStart() {
      cache.clear();
      listed = new Map();
      handler.onListStart(key);
    },
    onObject: apply,
    async onListed() {
      const found = listed;
      listed = undefined;
      for (const event of found?.values() ?? []) await handler.onObject(key, event);
      await handler.onListed(key);
    },
    onApplied: apply,
    onDeleted({ metadata }) {
      if (cache.forget(metadata.uid)) leave(metadata.uid);
    },
  };

  function apply(event: KubeObject): void | Promise<void> {
    const { isAdmitted, evicted } = cache.admit(event);
    for (const uid of evicted) leave(uid);
    if (!isAdmitted) return;
    const observed = project(resource, event);
    if (!listed) return handler.onApplied(key, observed);
    listed.set(observed.uid, observed);
  }

  function leave(uid: string): void {
    if (listed) listed.delete(uid);
    else void handler.onDeleted(key, uid);
  }
}
