import { type ApiResource, apiVersionOf } from "./api-resource.ts";
import type { KubeObject } from "./kube-object.ts";

/** The items of a list lack what the list says once. The same fields in the same order, whichever way an object came. */
export function completeObject(
  resource: Pick<ApiResource, "group" | "version" | "kind">,
  object: Omit<KubeObject, "apiVersion" | "kind">,
): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object } as KubeObject;
}
