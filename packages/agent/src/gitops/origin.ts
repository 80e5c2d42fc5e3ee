// From which namespace on the hub an application's copy is, and by which mapping it was made. Its place tells, and an
// annotation on those that the mapping by destination puts into Argo CD's own namespace. Pure.
import { type GitopsMapping, type GitopsObject, readStamps } from "@fairlead/protocol";

export interface Origin {
  readonly mapping: GitopsMapping;
  /** On the hub. */
  readonly namespace: string;
}

export interface OriginRules {
  readonly argoNamespace: string;
  /** The cluster's on the hub, with the mapping by namespace. */
  readonly hubNamespace: string;
}

/** Whether the copy was made by the mapping that the cluster has now. */
export function isOfMapping(object: GitopsObject, rules: OriginRules & Pick<Origin, "mapping">): boolean {
  return originOf(object, rules).mapping === rules.mapping;
}

export function originOf({ metadata }: Pick<GitopsObject, "metadata">, rules: OriginRules): Origin {
  const { argoNamespace, hubNamespace } = rules;
  if (metadata.namespace !== argoNamespace) return { mapping: "destination", namespace: metadata.namespace };
  const remappedFrom = readStamps(metadata)?.remappedFrom;
  if (remappedFrom === undefined) return { mapping: "namespace", namespace: hubNamespace };
  return { mapping: "destination", namespace: remappedFrom };
}
