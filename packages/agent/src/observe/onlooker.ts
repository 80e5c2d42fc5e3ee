import type { KubeObject, ObjectEvents } from "@fairlead/kube";

/**
 * Sees objects as the API server has them, before anything is left out or masked: nothing of that may leave the cluster.
 * It must not keep an object that it is given, or change it.
 */
export type Onlooker = ObjectEvents<KubeObject, KubeObject, [key: string]>;

/** The onlooker sees each object before the sink has it. */
export function showFirst(key: string, sink: ObjectEvents, onlooker: Onlooker): ObjectEvents {
  return {
    onListStart() {
      onlooker.onListStart(key);
      sink.onListStart();
    },
    onObject(object) {
      void onlooker.onObject(key, object);
      return sink.onObject(object);
    },
    onListed() {
      void onlooker.onListed(key);
      return sink.onListed();
    },
    onApplied(object) {
      void onlooker.onApplied(key, object);
      return sink.onApplied(object);
    },
    onDeleted(object) {
      void onlooker.onDeleted(key, object);
      return sink.onDeleted(object);
    },
  };
}
