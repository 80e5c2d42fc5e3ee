// A kind that Kubernetes 1.36 itself has, with all its APIs turned on: key, version, name and short names. No cluster
// has a say in what these are called, or if they lie in namespaces.

export interface BuiltInKind {
  /** `deployments.apps`. */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
}

export function findBuiltIn(kind: string): BuiltInKind | undefined {
  return byKey.get(kind);
}

/** In lower case: `deployments`, `deployment`, `deploy`, `deployments.apps`, `deployments.v1.apps`. The first is meant before the others. */
export function findBuiltInsNamed(name: string): readonly BuiltInKind[] {
  return byName.get(name) ?? [];
}

const inNamespaces: readonly string[] = [
  "configmaps v1 ConfigMap cm",
  "endpoints v1 Endpoints ep",
  "events v1 Event ev",
  "limitranges v1 LimitRange limits",
  "persistentvolumeclaims v1 PersistentVolumeClaim pvc",
  "pods v1 Pod po",
  "podtemplates v1 PodTemplate",
  "replicationcontrollers v1 ReplicationController rc",
  "resourcequotas v1 ResourceQuota quota",
  "secrets v1 Secret",
  "serviceaccounts v1 ServiceAccount sa",
  "services v1 Service svc",
  "controllerrevisions.apps v1 ControllerRevision",
  "daemonsets.apps v1 DaemonSet ds",
  "deployments.apps v1 Deployment deploy",
  "replicasets.apps v1 ReplicaSet rs",
  "statefulsets.apps v1 StatefulSet sts",
  "horizontalpodautoscalers.autoscaling v2 HorizontalPodAutoscaler hpa",
  "cronjobs.batch v1 CronJob cj",
  "jobs.batch v1 Job",
  "poddisruptionbudgets.policy v1 PodDisruptionBudget pdb",
  "podcertificaterequests.certificates.k8s.io v1beta1 PodCertificateRequest",
  "leasecandidates.coordination.k8s.io v1beta1 LeaseCandidate",
  "leases.coordination.k8s.io v1 Lease",
  "endpointslices.discovery.k8s.io v1 EndpointSlice",
  "events.events.k8s.io v1 Event ev",
  "ingresses.networking.k8s.io v1 Ingress ing",
  "networkpolicies.networking.k8s.io v1 NetworkPolicy netpol",
  "rolebindings.rbac.authorization.k8s.io v1 RoleBinding",
  "roles.rbac.authorization.k8s.io v1 Role",
  "resourceclaims.resource.k8s.io v1 ResourceClaim",
  "resourceclaimtemplates.resource.k8s.io v1 ResourceClaimTemplate",
  "podgroups.scheduling.k8s.io v1alpha2 PodGroup",
  "workloads.scheduling.k8s.io v1alpha2 Workload",
  "csistoragecapacities.storage.k8s.io v1 CSIStorageCapacity",
];

const clusterWide: readonly string[] = [
  "componentstatuses v1 ComponentStatus cs",
  "namespaces v1 Namespace ns",
  "nodes v1 Node no",
  "persistentvolumes v1 PersistentVolume pv",
  "mutatingadmissionpolicies.admissionregistration.k8s.io v1 MutatingAdmissionPolicy",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io v1 MutatingAdmissionPolicyBinding",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io v1 MutatingWebhookConfiguration",
  "validatingadmissionpolicies.admissionregistration.k8s.io v1 ValidatingAdmissionPolicy",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io v1 ValidatingAdmissionPolicyBinding",
  "validatingwebhookconfigurations.admissionregistration.k8s.io v1 ValidatingWebhookConfiguration",
  "customresourcedefinitions.apiextensions.k8s.io v1 CustomResourceDefinition crd crds",
  "apiservices.apiregistration.k8s.io v1 APIService",
  "certificatesigningrequests.certificates.k8s.io v1 CertificateSigningRequest csr",
  "clustertrustbundles.certificates.k8s.io v1beta1 ClusterTrustBundle",
  "flowschemas.flowcontrol.apiserver.k8s.io v1 FlowSchema",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io v1 PriorityLevelConfiguration",
  "storageversions.internal.apiserver.k8s.io v1alpha1 StorageVersion",
  "ingressclasses.networking.k8s.io v1 IngressClass",
  "ipaddresses.networking.k8s.io v1 IPAddress ip",
  "servicecidrs.networking.k8s.io v1 ServiceCIDR",
  "runtimeclasses.node.k8s.io v1 RuntimeClass",
  "clusterrolebindings.rbac.authorization.k8s.io v1 ClusterRoleBinding",
  "clusterroles.rbac.authorization.k8s.io v1 ClusterRole",
  "deviceclasses.resource.k8s.io v1 DeviceClass",
  "devicetaintrules.resource.k8s.io v1beta2 DeviceTaintRule",
  "resourcepoolstatusrequests.resource.k8s.io v1alpha3 ResourcePoolStatusRequest",
  "resourceslices.resource.k8s.io v1 ResourceSlice",
  "priorityclasses.scheduling.k8s.io v1 PriorityClass pc",
  "csidrivers.storage.k8s.io v1 CSIDriver",
  "csinodes.storage.k8s.io v1 CSINode",
  "storageclasses.storage.k8s.io v1 StorageClass sc",
  "volumeattachments.storage.k8s.io v1 VolumeAttachment",
  "volumeattributesclasses.storage.k8s.io v1 VolumeAttributesClass vac",
  "storageversionmigrations.storagemigration.k8s.io v1beta1 StorageVersionMigration",
];

export const builtInKinds: readonly BuiltInKind[] = [
  ...inNamespaces.map((line) => toBuiltIn(line, true)),
  ...clusterWide.map((line) => toBuiltIn(line, false)),
];
const byKey: ReadonlyMap<string, BuiltInKind> = new Map(builtInKinds.map((kind) => [kind.kind, kind]));
const byName: ReadonlyMap<string, readonly BuiltInKind[]> = indexByName();

function indexByName(): ReadonlyMap<string, readonly BuiltInKind[]> {
  const found = new Map<string, BuiltInKind[]>();
  for (const kind of builtInKinds) {
    for (const name of namesOf(kind)) found.set(name, [...(found.get(name) ?? []), kind]);
  }
  return found;
}

function toBuiltIn(line: string, namespaced: boolean): BuiltInKind {
  const [kind = "", version = "", kindName = "", ...shortNames] = line.split(" ");
  const [resource = "", ...group] = kind.split(".");
  return { kind, group: group.join("."), version, resource, kindName, namespaced, shortNames };
}

function namesOf({ resource, kindName, shortNames, group, version }: BuiltInKind): string[] {
  const singular = kindName.toLowerCase();
  const suffixes = group === "" ? [version] : [group, `${version}.${group}`];
  const plain = [...new Set([resource, singular])];
  return [...plain, ...shortNames, ...plain.flatMap((name) => suffixes.map((suffix) => `${name}.${suffix}`))];
}
