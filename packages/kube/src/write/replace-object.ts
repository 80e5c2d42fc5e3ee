import type { KubeClient } from "../client/index.ts";
import { type ApiResource, completeObject, type KubeObject, resourcePath } from "../objects/index.ts";

export interface ReplaceOptions {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Whole, with the `uid` and `resourceVersion` that it was read with: another object or version isn't replaced. */
  readonly object: KubeObject;
  readonly fieldManager: string;
  /** Fields that the kind doesn't have are an error then; else the API server leaves them out. */
  readonly isStrict?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Throws KUBE_CONFLICT when the object isn't any more what was read, or is another one. */
export async function replaceObject(options: ReplaceOptions): Promise<KubeObject> {
  const { client, resource, namespace, name, object, fieldManager, isStrict = false, signal } = options;
  const query = new URLSearchParams({ fieldManager, ...(isStrict && { fieldValidation: "Strict" }) });
  const path = `${resourcePath(resource, { namespace, name })}?${query}`;
  return completeObject(resource, await client.request<KubeObject>({ method: "PUT", path, body: object, signal }));
}
