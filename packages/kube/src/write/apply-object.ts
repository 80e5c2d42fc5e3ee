import type { KubeClient } from "../client/index.ts";
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
  const answer = await client.request<KubeObject>({
    method: "PATCH",
    path: `${resourcePath(resource, { namespace, name })}?${query}`,
    headers: { "content-type": "application/apply-patch+yaml" },
    body: object,
    signal,
  });
  return completeObject(resource, answer);
}
