// A refused caller reads this: the user, the verb, the place and the reason, in the words that Kubernetes uses.
import type { RequestAttributes } from "@fairlead/kube";

export function describeDenial(denial: {
  readonly principal: { readonly name: string };
  readonly cluster: string;
  readonly attributes: RequestAttributes;
  readonly reason: string;
}): string {
  const { principal, cluster, attributes, reason } = denial;
  return `${principal.name} may not ${describeRequest(attributes)} in cluster ${cluster}: ${reason}`;
}

function describeRequest(attributes: RequestAttributes): string {
  const { verb, isResource, path, apiGroup, resource, subresource, namespace, name } = attributes;
  if (!isResource) return `${verb} ${path}`;
  const group = apiGroup === "" ? "" : `.${apiGroup}`;
  const kind = `${resource}${group}${subresource === "" ? "" : `/${subresource}`}`;
  const which = name === "" ? "" : ` "${name}"`;
  const where = namespace === "" || resource === "namespaces" ? "" : ` in namespace "${namespace}"`;
  return `${verb} ${kind}${which}${where}`;
}
