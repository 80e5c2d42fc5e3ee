// Reads what a request of Argo CD on the hub is about: nothing of the cluster's objects, one object, or the events of
// one. All other requests are refused whatever Argo CD tracks. Pure.
import { formatResource, type RequestAttributes } from "@fairlead/kube";

export type ArgoRequest =
  | { readonly is: "open" }
  | { readonly is: "object"; readonly path: string; readonly isRead: boolean }
  | { readonly is: "events"; readonly path: string }
  | { readonly is: "refused"; readonly reason: string };

export function readArgoRequest(attributes: RequestAttributes, path: string): ArgoRequest {
  const { verb, isResource, apiGroup, resource, subresource, name } = attributes;
  if (!isResource) return verb === "get" && discovery.test(attributes.path) ? { is: "open" } : refuse(attributes);
  // Argo CD hides values on their way to people. Here they don't leave the cluster.
  if (apiGroup === "" && resource === "secrets") return { is: "refused", reason: "Secrets stay in the cluster" };
  if (apiGroup === "" && resource === "events" && verb === "list") return readEvents(attributes, path);
  if (name === "" || !isAllowed(attributes)) return refuse(attributes);
  return { is: "object", path: objectPath(attributes), isRead: verb === "get" && subresource === "" };
}

function isAllowed({ verb, apiGroup, resource, subresource }: RequestAttributes): boolean {
  if (subresource === "") return objectVerbs.has(verb);
  if (apiGroup !== "" || resource !== "pods") return false;
  return (subresource === "log" && verb === "get") || (subresource === "exec" && verb === "create");
}

/**
 * Those of one object, by its uid. The selector is one that cannot be read in two ways: a term that escapes or negates
 * could widen it, and of a repeated one the API server takes only the first.
 */
function readEvents({ namespace }: RequestAttributes, path: string): ArgoRequest {
  const refused = { is: "refused", reason: "events can be read only for one object, by its UID" } as const;
  const [selector, ...others] = new URLSearchParams(path.split("?")[1]).getAll("fieldSelector");
  if (namespace === "" || selector === undefined || others.length > 0) return refused;
  const terms = selector.split(",").map((term) => eventTerm.exec(term)?.groups);
  const uid = terms.find((term) => term?.["field"] === "uid")?.["value"];
  if (uid === undefined || terms.includes(undefined)) return refused;
  const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}`, limit: "1" });
  return { is: "events", path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?${query}` };
}

function objectPath({ apiGroup, apiVersion, namespace, resource, name }: RequestAttributes): string {
  const root = apiGroup === "" ? ["api", apiVersion] : ["apis", apiGroup, apiVersion];
  const place = namespace === "" || resource === "namespaces" ? [] : ["namespaces", namespace];
  return `/${[...root, ...place, resource, name].map(encodeURIComponent).join("/")}`;
}

function refuse(attributes: RequestAttributes): ArgoRequest {
  const { verb, isResource, path } = attributes;
  return { is: "refused", reason: `${verb} ${isResource ? formatResource(attributes) : path} isn't allowed for it` };
}

const discovery = /^\/(?:version|api(?:\/v1)?|apis(?:\/[^/]+){0,2}|openapi\/v[23](?:\/.*)?)\/?$/;
const objectVerbs = new Set(["get", "patch", "delete"]);
const eventTerm = /^involvedObject\.(?<field>name|uid|namespace|kind)==?(?<value>[A-Za-z0-9.-]+)$/;
