import { type ApiResource, Fields } from "@fairlead/kube";
import { isDefinition } from "../apply/tiers.ts";
import type { Manifest } from "../types.ts";

/** The kinds that the set's own CustomResourceDefinitions make, before the cluster has them: by apiVersion and kind. */
export function definedKinds(manifests: readonly Manifest[]): ReadonlyMap<string, ApiResource> {
  const definitions = manifests.filter(({ object }) => isDefinition(object));
  return new Map(definitions.flatMap(({ object }) => [...kindsOf(new Fields(object))]));
}

export function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function* kindsOf(definition: Fields): Generator<[string, ApiResource]> {
  const spec = definition.at("spec");
  const group = spec.at("group").text();
  const kind = spec.at("names", "kind").text();
  const resource = spec.at("names", "plural").text();
  if (group === undefined || kind === undefined || resource === undefined) return;
  for (const each of spec.at("versions").list()) {
    const version = each.at("name").text();
    if (version === undefined || each.at("served").boolean() === false) continue;
    yield [
      kindKey(`${group}/${version}`, kind),
      {
        group,
        version,
        resource,
        kind,
        singular: "",
        namespaced: spec.at("scope").text() === "Namespaced",
        verbs: ["get", "list", "watch", "patch", "delete"],
        shortNames: [],
        categories: [],
      },
    ];
  }
}
