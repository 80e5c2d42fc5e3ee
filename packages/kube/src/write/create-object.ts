import type { KubeClient } from "../client/index.ts";
import { type ApiResource, completeObject, type KubeObject, resourcePath } from "../objects/index.ts";

export interface CreateOptions {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly object: object;
  readonly fieldManager: string;
  readonly signal?: AbortSignal | undefined;
}

/** Makes an object. Throws KUBE_ALREADY_EXISTS when its name is taken. */
export async function createObject(options: CreateOptions): Promise<KubeObject> {
  const { client, resource, namespace, object, fieldManager, signal } = options;
  const path = `${resourcePath(resource, { namespace })}?${new URLSearchParams({ fieldManager })}`;
  const made = await client.request<KubeObject>({ method: "POST", path, body: object, signal });
  return completeObject(resource, made);
}
