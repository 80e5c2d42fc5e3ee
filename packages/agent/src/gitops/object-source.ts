// Sends the hub one part of a kind's objects. An object is told as gone only after a read that didn't find it.
import type { Clock } from "@fairlead/kernel";
import { type KubeClient, listObjects } from "@fairlead/kube";
import {
  type GitopsObject,
  maxContentBytes,
  type ReplicaContent,
  ReplicaSource,
  toGitopsObject,
} from "@fairlead/protocol";
import type { FollowedKind } from "./followed-kind.ts";
import { uidOf } from "./object-cache.ts";
import type { GitopsLog, HubSettings } from "./types.ts";

export interface ObjectSourceOptions {
  readonly followed: FollowedKind;
  readonly client: KubeClient;
  readonly settings: Pick<HubSettings, "maxUnackedEntries" | "maxUnackedBytes">;
  /** By which uid the hub knows the object; undefined: it is nothing of the hub's. */
  readonly idOf: (object: GitopsObject) => string | undefined;
  readonly find: (id: string) => GitopsObject | undefined;
  readonly toContent: (object: GitopsObject) => ReplicaContent;
  readonly onWork: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: GitopsLog;
  readonly signal: AbortSignal;
}

export function createObjectSource(options: ObjectSourceOptions): ReplicaSource {
  const { followed, client, settings, idOf, find, toContent, onWork, clock, random, log, signal } = options;
  const { kind, cache } = followed;
  const { maxUnackedEntries, maxUnackedBytes } = settings;
  /** By the uid here: what the hub knows. */
  const ids = new Map<string, string>();
  const unsure = new Set<string>();
  let isLooking = false;
  const source = new ReplicaSource({
    load: (id) => {
      const object = find(id);
      return object && toContent(object);
    },
    onUnsure: ({ uid }) => void look(uid),
    onWork,
    random,
    now: () => clock.steadyMs(),
    maxUnackedEntries,
    maxUnackedBytes,
    maxEntryBytes: maxContentBytes(kind),
  });
  for (const object of cache.objects) remember(object);
  if (cache.isListed) listed();
  const stop = cache.listen({ changed, gone, listed });
  signal.addEventListener("abort", stop, { once: true });
  return source;

  function changed(object: GitopsObject): void {
    const before = ids.get(uidOf(object));
    const id = remember(object);
    if (id !== undefined) source.put(id, toContent(object).version);
    else if (before !== undefined) source.remove(before);
  }

  function gone(object: GitopsObject, { isSeen }: { readonly isSeen: boolean }): void {
    const id = ids.get(uidOf(object));
    ids.delete(uidOf(object));
    if (id !== undefined && isSeen) source.remove(id);
  }

  function listed(): void {
    const all = cache.objects.flatMap((object): [string, bigint][] => {
      const id = idOf(object);
      return id === undefined ? [] : [[id, toContent(object).version]];
    });
    source.list(all);
  }

  function remember(object: GitopsObject): string | undefined {
    const id = idOf(object);
    if (id === undefined) ids.delete(uidOf(object));
    else ids.set(uidOf(object), id);
    return id;
  }

  /**
   * Lists the objects anew, because an object may be missing in the cache only. Questions that come meanwhile wait
   * for the next listing.
   */
  async function look(id: string): Promise<void> {
    unsure.add(id);
    if (isLooking) return;
    isLooking = true;
    try {
      while (unsure.size > 0 && !signal.aborted) {
        const asked = [...unsure];
        unsure.clear();
        await readAll();
        for (const id of asked) settle(id);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, kind }, "objects that the hub asks about can't be looked for now");
    } finally {
      isLooking = false;
    }
  }

  async function readAll(): Promise<void> {
    const { resource, namespaces, selection } = followed;
    for (const namespace of namespaces) {
      for await (const page of listObjects({ client, resource, namespace, ...selection, signal })) {
        for (const object of page) cache.take(toGitopsObject(object));
      }
    }
  }

  function settle(id: string): void {
    const found = find(id);
    if (found === undefined) source.remove(id);
    else source.put(id, toContent(found).version);
  }
}
