import type { ObjectName } from "./types.ts";

/** The key of an object: the same whichever version of its kind a set uses. */
export function keyOf({ apiVersion, kind, namespace, name }: ObjectName): string {
  return [groupOf(apiVersion), kind, namespace ?? "", name].join("/");
}

/** Without what else is known of it. */
export function onlyName({ apiVersion, kind, namespace, name }: ObjectName): ObjectName {
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
}

/** `Deployment default/web`, for people. */
export function describeName({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

export function groupOf(apiVersion: string): string {
  return splitApiVersion(apiVersion).group;
}
