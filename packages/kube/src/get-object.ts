import { isFairleadError } from "@fairlead/kernel";
import { type ApiResource, resourcePath } from "./api-resource.ts";
import type { KubeClient } from "./client.ts";
import { completeObject } from "./decode-object.ts";
import type { KubeObject } from "./kube-object.ts";
import { statusOf } from "./status.ts";

/** One object, or undefined when none has that name. That the kind isn't there is an error: it says nothing of objects. */
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
    if (isFairleadError(error) && error.code === "KUBE_NOT_FOUND" && statusOf(error)?.details?.["name"] === name) {
      return undefined;
    }
    throw error;
  }
}
