import type { KubeClient } from "../client/index.ts";
import { kubeErrors, statusOf } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { type ApiResource, completeObject, resourcePath } from "../objects/index.ts";

export interface ApplyOptions {
  readonly client: Pick<KubeClient, "request">;
  readonly resource: Pick<ApiResource, "group" | "version" | "resource" | "kind">;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** All that this manager wants; what it wanted before and leaves out now is removed. */
  readonly object: object;
  readonly fieldManager: string;
  /** Takes over fields that others set differently; else they are a conflict (`fieldConflicts`). */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Server-side apply. Returns the object as it is then; a field that the kind doesn't have is an error. */
export async function applyObject(options: ApplyOptions): Promise<KubeObject> {
  const { client, resource, namespace, name, object, fieldManager, isForced, isDryRun, signal } = options;
  const query = new URLSearchParams({
    fieldManager,
    force: String(isForced),
    fieldValidation: "Strict",
    ...(isDryRun && { dryRun: "All" }),
  });
  const asked = {
    method: "PATCH",
    path: `${resourcePath(resource, { namespace, name })}?${query}`,
    headers: { "content-type": "application/apply-patch+yaml" },
    body: object,
    signal,
  } as const;
  const answer = await client.request<KubeObject>(asked).catch(rethrow);
  return completeObject(resource, answer);
}

/** An API server answers 500 where the object doesn't fit its schema, as if trying again could help. */
function rethrow(error: unknown): never {
  const isUnfit = kubeErrors.is(error) && error.httpStatus === 500 && statusOf(error)?.reason === undefined;
  if (!isUnfit || !error.message.startsWith("failed to create typed patch object")) throw error;
  throw kubeErrors.KUBE_INVALID({ message: error.message, httpStatus: 422, cause: error.cause });
}
