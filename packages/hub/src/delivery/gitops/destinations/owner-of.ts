// To which cluster an application on the hub belongs, of clusters with the mapping by destination. Pure.
import { type GitopsObject, isIgnored } from "@fairlead/protocol";
import { matchesNamespace } from "../shared/index.ts";
import { destinationOf } from "./destination-of.ts";

export interface NamespaceRules {
  /** Argo CD's own on the hub, where applications always may be. */
  readonly argoNamespace: string;
  /** Others that they may be in: names, patterns, and regular expressions between slashes. */
  readonly applicationNamespaces: readonly string[];
}

/** Undefined: to none of them. `exchanges` says whether a cluster exchanges applications, by whichever mapping. */
export function ownerOf(
  application: GitopsObject,
  rules: NamespaceRules,
  exchanges: (cluster: string) => boolean,
): string | undefined {
  const cluster = destinationOf(application);
  if (cluster === undefined || isIgnored(application)) return undefined;
  const { namespace } = application.metadata;
  // It is the cluster's own with the mapping by namespace: another mapping takes nothing from it, and gives it to nobody.
  if (namespace === cluster || namespace === rules.argoNamespace) return cluster;
  if (exchanges(namespace)) return undefined;
  return rules.applicationNamespaces.some((pattern) => matchesNamespace(pattern, namespace)) ? cluster : undefined;
}

/** Those on the hub whose applications are in Argo CD's own namespace in the cluster. All others keep theirs. */
export function remappedNamespaces(
  cluster: string,
  { argoNamespace }: Pick<NamespaceRules, "argoNamespace">,
): string[] {
  return [argoNamespace, cluster];
}
