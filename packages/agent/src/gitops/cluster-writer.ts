// Writes to the cluster. What an answer says is put into the cache before anybody goes on.
import { type Clock, isFairleadError, onAbort } from "@fairlead/kernel";
import {
  createObject,
  deleteObject,
  getObject,
  isObjectMissing,
  type KubeClient,
  type KubeObject,
  kubeErrors,
  replaceObject,
  retryAfterMs,
  type WhyRefused,
  whyRefused,
} from "@fairlead/kube";
import { type GitopsObject, type RefusalReason, type ReplicaRefusal, toGitopsObject } from "@fairlead/protocol";
import type { Place } from "./copy-kinds.ts";
import type { FollowedKind } from "./followed-kind.ts";
import { uidOf } from "./object-cache.ts";

export type WriteResult =
  | { readonly is: "written"; readonly object: GitopsObject }
  /** Somebody else wrote first, or it is gone: what is there now is in the cache. */
  | { readonly is: "conflict" }
  | { readonly is: "no-namespace"; readonly refusal: ReplicaRefusal }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };

export interface ClusterWriter {
  /** Reads what is there now. */
  look(place: Place): Promise<GitopsObject | undefined>;
  create(object: GitopsObject): Promise<WriteResult>;
  replace(object: GitopsObject): Promise<WriteResult>;
  /** `written`: it is being deleted; `conflict`: it is gone or another one. */
  remove(object: GitopsObject): Promise<WriteResult>;
  createNamespace(name: string): Promise<void>;
  /** False: it is still there after a while. */
  untilGone(object: GitopsObject): Promise<boolean>;
}

export function createClusterWriter(options: {
  readonly client: KubeClient;
  readonly followed: FollowedKind;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): ClusterWriter {
  const { client, followed, clock, signal } = options;
  const { resource, cache } = followed;
  // An older Argo CD has fewer fields. Left out in silence they would be missing without anybody knowing.
  const writing = { client, resource, fieldManager, signal, isStrict: true };
  return {
    look,

    create: (object) =>
      attempt(object, () => createObject({ ...writing, object, namespace: object.metadata.namespace })),

    replace: (object) =>
      attempt(object, () =>
        replaceObject({
          ...writing,
          ...object.metadata,
          object: object as KubeObject & GitopsObject,
        }),
      ),

    async remove(object) {
      const { namespace, name } = object.metadata;
      try {
        await deleteObject({ client, resource, namespace, name, uid: uidOf(object), signal });
      } catch (error) {
        return await toResult(error, object);
      }
      const there = await look(object.metadata);
      return there !== undefined && uidOf(there) === uidOf(object)
        ? { is: "written", object: there }
        : { is: "conflict" };
    },

    async createNamespace(name) {
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      await client.request({ method: "POST", path: "/api/v1/namespaces", body, signal }).catch((error: unknown) => {
        if (!kubeErrors.is(error, "KUBE_ALREADY_EXISTS")) throw error;
      });
    },

    async untilGone(object) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      using undo = new DisposableStack();
      const find = (): void => {
        if (cache.get(uidOf(object)) === undefined) resolve(true);
      };
      undo.defer(cache.listen({ changed: find, gone: find, listed: find }));
      undo.defer(clock.after(goneMs, () => resolve(false)));
      undo.use(onAbort(signal, () => resolve(false)));
      find();
      return await promise;
    },
  };

  async function look({ namespace, name }: Place): Promise<GitopsObject | undefined> {
    const known = cache.at({ namespace, name });
    const found = await getObject({ client, resource, namespace, name, signal });
    const there = found && toGitopsObject(found);
    if (known !== undefined && (there === undefined || uidOf(there) !== uidOf(known))) cache.drop(known);
    if (there !== undefined) cache.take(there);
    return there;
  }

  async function attempt(object: GitopsObject, write: () => Promise<KubeObject>): Promise<WriteResult> {
    try {
      const written = toGitopsObject(await write());
      cache.take(written);
      return { is: "written", object: written };
    } catch (error) {
      return await toResult(error, object);
    }
  }

  async function toResult(error: unknown, { metadata }: GitopsObject): Promise<WriteResult> {
    const why = whyRefused(error);
    if (why === "conflict" || why === "exists" || isObjectMissing(error, metadata.name)) {
      await look(metadata);
      return { is: "conflict" };
    }
    const refusal = toRefusal(error, why);
    return { is: why === "no-namespace" ? "no-namespace" : "refused", refusal };
  }
}

/** For the hub: what the API server said, and when to try again. */
export function toRefusal(error: unknown, why: WhyRefused = whyRefused(error)): ReplicaRefusal {
  const message = isFairleadError(error) ? error.message : "The agent can't write the object.";
  const isPassing = why === "unavailable" || why === "conflict" || why === "exists";
  const reason: RefusalReason = isPassing ? "unavailable" : why === "no-namespace" ? "failed" : why;
  return { reason, message, retryAfterMs: (isFairleadError(error) && retryAfterMs(error)) || (isPassing ? 1_000 : 0) };
}

const fieldManager = "fairlead-agent";
/** An application with a finalizer goes when what it deployed is gone. */
const goneMs = 30_000;
