// A reflector's handler that keeps what a user of it would believe, and holds it to the order that it promises.
import type { ApiResource } from "../objects/api-resource.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { runReflector } from "./reflector.ts";
import type { ReflectorHandler, ReflectorOptions, ReflectorState } from "./types.ts";

export const configMaps: ApiResource = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  singular: "configmap",
  namespaced: true,
  verbs: ["get", "list", "watch"],
  shortNames: ["cm"],
  categories: [],
};

export interface Believer extends ReflectorHandler {
  /** By uid. */
  readonly objects: Map<string, KubeObject>;
  readonly states: ReflectorState[];
  readonly changes: { readonly type: "applied" | "deleted"; readonly object: KubeObject }[];
  readonly lists: string[];
  alive: number;
  /** Undefined before the first. */
  state(): ReflectorState["type"] | undefined;
  names(): string[];
  /** The code of the last failure. */
  code(): string | undefined;
}

export function createBeliever(takeObject: (object: KubeObject) => void | Promise<void> = () => undefined): Believer {
  const objects = new Map<string, KubeObject>();
  let seen: Set<string> | undefined;
  const believer: Believer = {
    objects,
    states: [],
    changes: [],
    lists: [],
    alive: 0,
    state: () => believer.states.at(-1)?.type,
    names: () => [...objects.values()].map(({ metadata }) => metadata.name).sort(),
    code: () => believer.states.findLast((state) => state.type === "failing")?.error.code,
    onListStart() {
      seen = new Set();
    },
    onObject(object) {
      if (!seen) throw new Error("an object of a list that didn't begin");
      seen.add(object.metadata.uid);
      objects.set(object.metadata.uid, object);
      return takeObject(object);
    },
    onListed(resourceVersion) {
      if (!seen) throw new Error("the end of a list that didn't begin");
      for (const uid of objects.keys()) if (!seen.has(uid)) objects.delete(uid);
      seen = undefined;
      believer.lists.push(resourceVersion);
    },
    onApplied(object) {
      if (seen) throw new Error("a change in the middle of a list");
      believer.changes.push({ type: "applied", object });
      objects.set(object.metadata.uid, object);
      return takeObject(object);
    },
    onDeleted(object) {
      if (seen) throw new Error("a change in the middle of a list");
      believer.changes.push({ type: "deleted", object });
      objects.delete(object.metadata.uid);
      return takeObject(object);
    },
    onAlive() {
      believer.alive++;
    },
    onState: (state) => void believer.states.push(state),
  };
  return believer;
}

export interface RunningReflector extends AsyncDisposable {
  readonly believer: Believer;
  readonly done: Promise<void>;
}

export function startReflector(
  options: Omit<ReflectorOptions, "signal" | "handler"> & { believer?: Believer },
): RunningReflector {
  const { believer = createBeliever(), ...rest } = options;
  const stop = new AbortController();
  const done = runReflector({ ...rest, handler: believer, signal: stop.signal });
  done.catch(() => undefined);
  return {
    believer,
    done,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
