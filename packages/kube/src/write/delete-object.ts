import type { KubeClient } from "../client/index.ts";
import { isObjectMissing, kubeErrors } from "../errors/index.ts";
import { type ApiResource, resourcePath } from "../objects/index.ts";

export interface DeleteOptions {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource">;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Nothing else of the same name is deleted. */
  readonly uid: string;
  readonly signal?: AbortSignal | undefined;
}

/** `replaced`: another object has the name by now. The cluster deletes the things that it owns in its own time. */
export async function deleteObject(options: DeleteOptions): Promise<"deleted" | "gone" | "replaced"> {
  const { client, resource, namespace, name, uid, signal } = options;
  const path = resourcePath(resource, { namespace, name });
  const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid }, propagationPolicy: "Background" };
  try {
    await client.request({ method: "DELETE", path, body, signal });
    return "deleted";
  } catch (error) {
    if (isObjectMissing(error, name)) return "gone";
    if (kubeErrors.is(error, "KUBE_CONFLICT") && isOtherUid(error.message)) return "replaced";
    throw error;
  }
}

/** `Precondition failed: UID in precondition: …, UID in object meta: …`; other conflicts pass. */
function isOtherUid(message: string): boolean {
  return /\bUID\b/.test(message);
}
