// Whether Argo CD says of an object that it is a resource of an application. Pure.
import type { KubeObject } from "@fairlead/kube";

/** By the annotation, which names the object that it is meant for: copied to another one it says nothing. */
export function isTracked(object: KubeObject, trackingLabel: string | undefined): boolean {
  const { annotations, labels } = object.metadata;
  if (trackingLabel !== undefined && (labels?.[trackingLabel] ?? "") !== "") return true;
  const parts = trackingId.exec(annotations?.["argocd.argoproj.io/tracking-id"] ?? "")?.groups;
  if (parts === undefined) return false;
  const { namespace = "", name } = object.metadata;
  const at = object.apiVersion?.lastIndexOf("/") ?? -1;
  const group = at < 0 ? "" : object.apiVersion?.slice(0, at);
  if (parts["group"] !== group || parts["kind"] !== object.kind || parts["name"] !== name) return false;
  // The tracking id of an object without a namespace names the application's namespace.
  return namespace === "" || parts["namespace"] === namespace;
}

/** Names of RBAC's objects may have colons. */
const trackingId = /^(?<app>[^:/]+):(?<group>[^:/]*)\/(?<kind>[^:/]+):(?<namespace>[^:/]*)\/(?<name>.+)$/;
