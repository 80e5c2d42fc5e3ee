// What no hub does in the namespace of the agent, whatever the cluster's RBAC would allow: it has the agent's pods and this
// policy. Reads, but through a server behind the API server, change nothing. Pure.
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
