import { type ApiResource, getObject, type KubeClient, type KubeObject, listObjects } from "@fairlead/kube";
import type { ObjectRef } from "./types.ts";

export interface FetchOptions {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  readonly labelSelector?: string | undefined;
  /** There is no right to list all namespaces at once. */
  readonly isNamespaceBound: boolean;
  readonly refs: readonly ObjectRef[];
  readonly signal: AbortSignal;
}

export type Found = { readonly object: KubeObject } | { readonly gone: string };

/** Few one by one; many by one list of each namespace that they are in, or of all of them. */
export async function* fetchObjects(options: FetchOptions): AsyncGenerator<Found, void, void> {
  const { refs } = options;
  if (refs.length > fewObjects) return yield* fetchByList(options);
  for (let at = 0; at < refs.length; at += atOnce) {
    yield* await Promise.all(refs.slice(at, at + atOnce).map((ref) => fetchOne(options, ref)));
  }
}

async function fetchOne(options: FetchOptions, ref: ObjectRef): Promise<Found> {
  const object = await readOne(options, ref);
  return object?.metadata.uid === ref.uid ? { object } : { gone: ref.uid };
}

/** An object whose labels don't match any more is out, as it is for a watch: only a list looks at labels. */
async function readOne(options: FetchOptions, ref: ObjectRef): Promise<KubeObject | undefined> {
  const { client, resource, labelSelector, signal } = options;
  const place = { client, resource, namespace: ref.namespace || undefined, signal };
  if (labelSelector === undefined) return getObject({ ...place, name: ref.name });
  const fieldSelector = `metadata.name=${ref.name}`;
  for await (const page of listObjects({ ...place, labelSelector, fieldSelector })) return page[0];
  return undefined;
}

async function* fetchByList(options: FetchOptions): AsyncGenerator<Found, void, void> {
  const { client, resource, labelSelector, refs, signal } = options;
  const missing = new Set(refs.map(({ uid }) => uid));
  for (const namespace of namespacesOf(options)) {
    for await (const page of listObjects({ client, resource, namespace, labelSelector, signal })) {
      for (const object of page) if (missing.delete(object.metadata.uid)) yield { object };
    }
  }
  for (const uid of missing) yield { gone: uid };
}

function namespacesOf({ refs, isNamespaceBound }: FetchOptions): readonly (string | undefined)[] {
  const namespaces = new Set(refs.map(({ namespace }) => namespace));
  if (isNamespaceBound) return [...namespaces];
  return namespaces.has("") || namespaces.size > fewNamespaces ? [undefined] : [...namespaces];
}

const fewObjects = 64;
const fewNamespaces = 4;
const atOnce = 8;
