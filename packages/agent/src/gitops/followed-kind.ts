// Follows a kind of Argo CD's objects in this cluster from the start to the end of the process.
import type { FairleadError } from "@fairlead/kernel";
import { followObjects, type KubeClient } from "@fairlead/kube";
import { type GitopsKind, type GitopsResource, gitopsResources, selectionOf, toGitopsObject } from "@fairlead/protocol";
import { ObjectCache } from "./object-cache.ts";
import type { GitopsLog } from "./types.ts";

export interface FollowedKind {
  readonly kind: GitopsKind;
  readonly resource: GitopsResource;
  readonly namespaces: readonly string[];
  /** Which objects of its resource are meant. */
  readonly selection: ReturnType<typeof selectionOf>;
  readonly cache: ObjectCache;
  /** Why it can't be read now; undefined while it can, or nothing is known yet. */
  readonly failure: FairleadError | undefined;
  /** Resolves when each namespace was listed, or couldn't be. */
  readonly settled: Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export function createFollowedKind(options: {
  readonly client: KubeClient;
  readonly kind: GitopsKind;
  readonly namespaces: readonly string[];
  /** It can be read now, or can't any more. */
  readonly onFailure: () => void;
  readonly log: GitopsLog;
}): FollowedKind {
  const { client, kind, namespaces, onFailure, log } = options;
  const resource = gitopsResources[kind];
  const selection = selectionOf(kind);
  const cache = new ObjectCache(namespaces);
  const failures = new Map<string, FairleadError>();
  const unsettled = new Set(namespaces);
  const settled = Promise.withResolvers<void>();
  return {
    kind,
    resource,
    namespaces,
    selection,
    cache,
    settled: settled.promise,
    get failure() {
      return [...failures.values()].find(({ code }) => lastingCodes.has(code));
    },
    async run(signal) {
      await Promise.all(namespaces.map((namespace) => follow(namespace, signal)));
    },
  };

  async function follow(namespace: string, signal: AbortSignal): Promise<void> {
    const recover = (): void => {
      if (failures.delete(namespace)) onFailure();
    };
    await followObjects({
      client,
      resource,
      namespace,
      ...selection,
      signal,
      handler: {
        live: recover,
        listed(objects) {
          cache.list(namespace, objects.map(toGitopsObject));
          settle(namespace);
        },
        changed: (object) => cache.take(toGitopsObject(object)),
        deleted: (object) => cache.drop(toGitopsObject(object)),
        unavailable(error) {
          const isNew = failures.get(namespace)?.code !== error.code;
          failures.set(namespace, error);
          if (isNew)
            log.warn({ err: error, kind, namespace }, "Argo CD's objects can't be read now; nothing is deleted");
          settle(namespace);
          if (isNew) onFailure();
        },
      },
    });
  }

  function settle(namespace: string): void {
    unsettled.delete(namespace);
    if (unsettled.size === 0) settled.resolve();
  }
}

/** Others pass by themselves and say nothing of what the agent may. */
const lastingCodes = new Set(["KUBE_NOT_FOUND", "KUBE_FORBIDDEN", "KUBE_UNAUTHORIZED"]);
