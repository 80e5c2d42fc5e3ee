import type { KubeClient } from "../client/index.ts";
import { type ApiResource, completeObject, type KubeObject, resourcePath } from "../objects/index.ts";

export interface CreateOptions {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly object: object;
  readonly fieldManager: string;
  /** Fields that the kind doesn't have are an error then; else the API server leaves them out. */
  readonly isStrict?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes an object. Throws KUBE_ALREADY_EXISTS when its name is taken. */
export async function createObject(options: CreateOptions): Promise<KubeObject> {
  const { client, resource, namespace, object, fieldManager, isStrict = false, signal } = options;
  const query = new URLSearchParams({ fieldManager, ...(isStrict && { fieldValidation: "Strict" }) });
  const path = `${resourcePath(resource, { namespace })}?${query}`;
  const made = await client.request<KubeObject>({ method: "POST", path, body: object, signal });
  return completeObject(resource, made);
}
