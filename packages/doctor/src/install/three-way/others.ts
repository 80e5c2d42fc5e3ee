import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "../../snapshot/index.ts";
import { isMap } from "./align-items.ts";

/**
 * Names the programs that set a field, other than installers and Kubernetes' own controllers, by the field managers of
 * the live object: `kubectl-edit`, `kube-controller-manager (scale)`. An autoscaler is named, because it writes by the
 * subresource.
 */
export function namesOfOthers(live: ClusterObject, path: readonly string[]): readonly string[] {
  const names = new Fields(live.metadata)
    .at("managedFields")
    .list()
    .flatMap((entry) => {
      const manager = entry.at("manager").text() ?? "";
      const subresource = entry.at("subresource").text();
      if (subresource === "status" || (subresource === undefined && !isSomebody(manager))) return [];
      if (!owns(entry.at("fieldsV1").raw, path)) return [];
      return [subresource === undefined ? manager : `${manager} (${subresource})`];
    });
  return [...new Set(names)].sort();
}

function isSomebody(manager: string): boolean {
  return !/^(helm|argocd.*|fairlead.*|kube-(controller-manager|scheduler|apiserver)|kubelet)$/.test(manager);
}

function owns(fields: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (!isMap(fields)) return false;
  // A list that isn't merged belongs as a whole to who set it.
  const members = Object.keys(fields).filter((member) => member !== ".");
  if (name.startsWith("[") && members.length === 0) return true;
  return members.some((member) => isMember(member, name) && owns(fields[member], rest));
}

/** `f:replicas`, or `k:{"containerPort":80,"protocol":"TCP"}` for `[containerPort=80]`. */
function isMember(member: string, name: string): boolean {
  if (!name.startsWith("[")) return member === `f:${name}`;
  const [key = "", value] = name.slice(1, -1).split(/=(.*)/s);
  if (!member.startsWith("k:")) return false;
  return new Fields(parse(member.slice(2))).at(key).scalar() === value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
