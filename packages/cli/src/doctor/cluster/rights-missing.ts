import type { ConfigMapName } from "@fairlead/doctor";
import type { ApiResource } from "@fairlead/kube";

/** Collects the resources that the API server refused to show. */
export class Refusals {
  readonly #resources = new Map<string, Set<string>>();
  readonly #configMaps = new Map<string, Set<string>>();

  addResource({ group, resource }: Pick<ApiResource, "group" | "resource">): void {
    this.#resources.set(group, (this.#resources.get(group) ?? new Set()).add(resource));
  }

  addConfigMap({ namespace, name }: ConfigMapName): void {
    this.#configMaps.set(namespace, (this.#configMaps.get(namespace) ?? new Set()).add(name));
  }

  get isEmpty(): boolean {
    return this.#resources.size + this.#configMaps.size === 0;
  }

  /** Names of resources by API group, in alphabetical order. */
  get resources(): readonly (readonly [group: string, resources: readonly string[]])[] {
    return sorted(this.#resources);
  }

  /** Names of ConfigMaps by namespace. */
  get configMaps(): readonly (readonly [namespace: string, names: readonly string[]])[] {
    return sorted(this.#configMaps);
  }
}

/** Makes roles with just the rights that were missing, and binds them to the person who asked, if the name is known. */
export function rightsMissing(refusals: Refusals, who: string | undefined): object[] {
  const rules = refusals.resources.map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ["list"] }));
  const clusterWide =
    rules.length === 0
      ? []
      : [{ ...role("ClusterRole"), rules }, ...(who === undefined ? [] : [binding("ClusterRole", who)])];
  return [
    ...clusterWide,
    ...refusals.configMaps.flatMap(([namespace, resourceNames]) => [
      {
        ...role("Role", namespace),
        rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames, verbs: ["get"] }],
      },
      ...(who === undefined ? [] : [binding("Role", who, namespace)]),
    ]),
  ];
}

function role(kind: "Role" | "ClusterRole", namespace?: string): object {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: metadataIn(namespace) };
}

function binding(kind: "Role" | "ClusterRole", who: string, namespace?: string): object {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: `${kind}Binding`,
    metadata: metadataIn(namespace),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects: [subjectOf(who)],
  };
}

function metadataIn(namespace: string | undefined): object {
  return { name, ...(namespace !== undefined && { namespace }) };
}

function subjectOf(who: string): object {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(who);
  if (account) return { kind: "ServiceAccount", namespace: account[1], name: account[2] };
  return { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: who };
}

function sorted(map: ReadonlyMap<string, ReadonlySet<string>>): [string, string[]][] {
  return [...map.keys()].sort().map((key) => [key, [...(map.get(key) ?? [])].sort()]);
}

const name = "fairlead-doctor";
