import type { ClusterObject } from "./cluster-object.ts";

/** The resources that every API server has and that checks look at. */
export const builtInResources: readonly string[] = [
  "apiservices.apiregistration.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "configmaps",
  "csidrivers.storage.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "daemonsets.apps",
  "deployments.apps",
  "endpointslices.discovery.k8s.io",
  "ingressclasses.networking.k8s.io",
  "ingresses.networking.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "namespaces",
  "nodes",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "priorityclasses.scheduling.k8s.io",
  "replicasets.apps",
  "resourcequotas",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "serviceaccounts",
  "services",
  "statefulsets.apps",
  "storageclasses.storage.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
];

/** `deployments.apps` for a Deployment. The plural is guessed as English forms it, which all known kinds follow but these. */
export function resourceOf({ apiVersion = "", kind = "" }: Pick<ClusterObject, "apiVersion" | "kind">): string {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const name = kind.toLowerCase();
  const plural = irregularPlurals[name] ?? pluralOf(name);
  return group === "" ? plural : `${plural}.${group}`;
}

const irregularPlurals: Readonly<Record<string, string>> = { endpoints: "endpoints", prometheus: "prometheuses" };

function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}
