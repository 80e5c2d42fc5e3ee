import type { KubeClient } from "../client/index.ts";
import { isObjectMissing } from "../errors/index.ts";
import type { KubeMetadata } from "../objects/index.ts";
import { type ApiResource, resourcePath } from "../objects/index.ts";

interface Place {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource">;
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads an object's metadata alone; undefined when none has that name. */
export async function getMetadata(options: Place & { readonly name: string }): Promise<KubeMetadata | undefined> {
  const { client, resource, namespace, name, signal } = options;
  const path = resourcePath(resource, { namespace, name });
  try {
    return (await client.request<Partial>({ path, headers: { accept: acceptOne }, signal })).metadata;
  } catch (error) {
    if (isObjectMissing(error, name)) return undefined;
    throw error;
  }
}

export interface MetadataPage {
  readonly items: readonly KubeMetadata[];
  readonly continueToken: string | undefined;
}

export async function listMetadata(
  options: Place & {
    readonly limit: number;
    readonly labelSelector?: string | undefined;
    readonly continueToken?: string | undefined;
  },
): Promise<MetadataPage> {
  const { client, resource, namespace, limit, labelSelector, continueToken, signal } = options;
  const query = new URLSearchParams({
    limit: String(limit),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(continueToken !== undefined && { continue: continueToken }),
  });
  const path = `${resourcePath(resource, { namespace })}?${query}`;
  const list = await client.request<PartialList>({ path, headers: { accept: acceptList }, signal });
  return {
    items: (list.items ?? []).map(({ metadata }) => metadata),
    continueToken: list.metadata?.continue || undefined,
  };
}

interface Partial {
  readonly metadata: KubeMetadata;
}

interface PartialList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly Partial[];
}

/** An API of somebody else may only have whole objects. */
const acceptOne = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const acceptList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
