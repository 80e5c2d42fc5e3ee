// What commands don't do in the namespace of the agent, which has its keys, its records and its own pods. Pure.
import { formatResource, type RequestAttributes } from "@fairlead/kube";

/** Whether it is closed to them. Other reads, of objects that aren't Secrets, aren't. */
export function isClosed(own: string | undefined, attributes: RequestAttributes): boolean {
  if (own === undefined || !attributes.isResource) return false;
  const { verb, apiGroup, resource, namespace } = attributes;
  // A kubelet's own API runs commands in any pod of its node.
  if (isProxy(attributes) && (namespace === own || (apiGroup === "" && resource === "nodes"))) return true;
  if (verb === "deletecollection" && namespace === "") return true;
  if (apiGroup === "" && resource === "secrets" && namespace === "") return true;
  return namespace === own && (!reads.has(verb) || (apiGroup === "" && resource === "secrets"));
}

export function isProxy({ verb, subresource }: RequestAttributes): boolean {
  return verb === "proxy" || subresource === "proxy";
}

/** For people: `delete pods web in shop`. */
export function nameRequest(attributes: RequestAttributes): string {
  const { verb, isResource, path, namespace, name } = attributes;
  if (!isResource) return `${verb} ${path}`;
  return [verb, formatResource(attributes), name, namespace === "" ? "" : `in ${namespace}`]
    .filter((part) => part !== "")
    .join(" ");
}

/** As `verb` of a request says it, for paths that are about no resource, too. */
export const reads: ReadonlySet<string> = new Set(["get", "list", "watch", "head", "options"]);
