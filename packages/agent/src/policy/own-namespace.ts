// The agent's namespace holds its pods and its policy, so the agent refuses to pass on any request that could change them,
// whatever the cluster's RBAC allows. Reads are allowed, except through the API server's proxy. Pure.
import type { RequestAttributes } from "@fairlead/kube";

export function isOwnClosed(own: string | undefined, attributes: RequestAttributes): boolean {
  if (own === undefined || !attributes.isResource) return false;
  const { verb, apiGroup, resource, subresource, namespace } = attributes;
  const isProxy = verb === "proxy" || subresource === "proxy";
  // A kubelet's own API runs commands in any pod of its node.
  if (isProxy && apiGroup === "" && resource === "nodes") return true;
  if (verb === "deletecollection" && namespace === "") return true;
  return namespace === own && (isProxy || !reads.has(verb));
}

const reads = new Set(["get", "list", "watch"]);
