// Which kinds come before which. Objects of one tier go at the same time: nothing in a tier needs another of it.
import type { Manifest } from "../types.ts";

export interface Wave {
  readonly wave: number;
  /** In their order; none is empty. */
  readonly tiers: readonly (readonly Manifest[])[];
}

export function orderByWave(manifests: readonly Manifest[]): readonly Wave[] {
  const waves = Map.groupBy(manifests, ({ wave }) => wave);
  return [...waves]
    .sort(([left], [right]) => left - right)
    .map(([wave, members]) => {
      const tiers = Map.groupBy(members, ({ object }) => tierOf(object));
      return { wave, tiers: [...tiers].sort(([left], [right]) => left - right).map(([, tier]) => tier) };
    });
}

/** Deletion goes the other way round: users of a thing before the thing. */
export function orderForDeletion<T extends { readonly apiVersion: string; readonly kind: string }>(
  objects: readonly T[],
): readonly (readonly T[])[] {
  const tiers = Map.groupBy(objects, tierOf);
  return [...tiers].sort(([left], [right]) => right - left).map(([, tier]) => tier);
}

export function isDefinition({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");
}

function tierOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): number {
  const tier = tierOfKind.get(kind);
  // Somebody else's kind may have the name of a built-in one.
  if (tier === undefined || !isBuiltIn(apiVersion)) return customTier;
  return tier;
}

/** Groups without a dot are Kubernetes' own, and so are those that end in k8s.io. */
function isBuiltIn(apiVersion: string): boolean {
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  return !group.includes(".") || group.endsWith(".k8s.io");
}

const tiers: readonly (readonly string[])[] = [
  ["CustomResourceDefinition", "Namespace"],
  [
    "ClusterRole",
    "ConfigMap",
    "CSIDriver",
    "IngressClass",
    "LimitRange",
    "NetworkPolicy",
    "PersistentVolume",
    "PodDisruptionBudget",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ResourceQuota",
    "Role",
    "RuntimeClass",
    "Secret",
    "ServiceAccount",
    "StorageClass",
    "VolumeAttributesClass",
  ],
  ["ClusterRoleBinding", "FlowSchema", "PersistentVolumeClaim", "RoleBinding", "Service"],
  [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Endpoints",
    "EndpointSlice",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "Pod",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
  ],
];
const customTier = tiers.length;
/** These send requests of others to what the set has begun: it should be there first. */
const lastTier = [
  "APIService",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
];
const tierOfKind: ReadonlyMap<string, number> = new Map([
  ...tiers.flatMap((kinds, tier) => kinds.map((kind) => [kind, tier] as const)),
  ...lastTier.map((kind) => [kind, customTier + 1] as const),
]);
