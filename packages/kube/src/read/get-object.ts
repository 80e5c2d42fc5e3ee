import type { KubeClient } from "../client/index.ts";
import { isObjectMissing } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { type ApiResource, completeObject, resourcePath } from "../objects/index.ts";

/**
 * Gets an object, or undefined when none has that name. A kind that isn't there is an error: it says nothing of
 * objects.
 */
export async function getObject(options: {
  readonly client: KubeClient;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<KubeObject | undefined> {
  const { client, resource, namespace, name, signal } = options;
  try {
    const path = resourcePath(resource, { namespace, name });
    return completeObject(resource, await client.request<KubeObject>({ path, signal }));
  } catch (error) {
    if (isObjectMissing(error, name)) return undefined;
    throw error;
  }
}
