import { type KubeObject, type ReflectorHandler, runReflector } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { keyOf } from "../object-name.ts";
import type { Target } from "../prepare/target.ts";
import type { ManifestsSpec } from "../types.ts";
import type { Awaited } from "./awaited.ts";

export interface Watched {
  /** Something that is awaited isn't watched: too many kinds and namespaces, or the watch fails. */
  readonly isBlind: boolean;
}

/** Watches each kind in each namespace in which something is awaited. Never fails: who waits reads on a timer, too. */
export function watchObjects(options: {
  readonly task: Task<ManifestsSpec>;
  readonly awaited: Awaited;
  readonly signal: AbortSignal;
}): Watched {
  const { task, awaited, signal } = options;
  const targets = awaited.objects().map(({ target }) => target);
  const groups = [...Map.groupBy(targets, ({ name }) => keyOf({ ...name, name: "" })).values()];
  const blind = new Set<readonly Target[]>(groups.slice(maxWatches));
  for (const group of groups.slice(0, maxWatches)) void watch(group);
  return {
    get isBlind() {
      return blind.size > 0;
    },
  };

  async function watch(group: readonly Target[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { resource, name } = first;
    const { clock, kube: client } = task;
    const see = (object: KubeObject): void => awaited.see(keyOf({ ...name, name: object.metadata.name }), object);
    const handler: ReflectorHandler = {
      onListStart: () => undefined,
      onObject: see,
      onListed: () => undefined,
      onApplied: see,
      onDeleted: ({ metadata }) => awaited.miss(keyOf({ ...name, name: metadata.name })),
      onAlive: () => undefined,
      onState: ({ type }) => void (type === "failing" ? blind.add(group) : blind.delete(group)),
    };
    const fieldSelector = group.length === 1 ? `metadata.name=${name.name}` : undefined;
    const { namespace } = name;
    await runReflector({ client, resource, namespace, fieldSelector, handler, clock, signal }).catch(() =>
      blind.add(group),
    );
  }
}

const maxWatches = 32;
