import type { Profile } from "./profile.ts";

const criticalKey = "class.truefoundry.com/component";

/** As TrueFoundry's charts for compute planes set a cluster up, and its documentation asks for. */
export const truefoundry: Profile = {
  name: "truefoundry",
  // The documentation says `default`; the charts, and what is deployed by them, use this one.
  argocd: { project: "tfy-apps", applicationNamespaces: ["*"] },
  kubeStateMetrics: {
    podLabels: [
      "truefoundry.com/application",
      "truefoundry.com/component-type",
      "truefoundry.com/component",
      "truefoundry.com/application-id",
    ],
    nodeLabels: [
      "karpenter.sh/capacity-type",
      "eks.amazonaws.com/capacityType",
      "kubernetes.azure.com/scalesetpriority",
      "kubernetes.azure.com/accelerator",
      "cloud.google.com/gke-provisioning",
      "node.kubernetes.io/instance-type",
    ],
  },
  prometheus: { monitorLabels: { release: "prometheus" }, retentionDays: 30 },
  logs: {
    streamFields: [
      "namespace",
      "pod",
      "container",
      "stream",
      "truefoundry_com_application",
      "truefoundry_com_deployment_version",
      "truefoundry_com_component_type",
      "truefoundry_com_retry_number",
      "truefoundry_com_buildName",
      "job_name",
      "sparkoperator_k8s_io_app_name",
    ],
    retentionDays: 15,
  },
  argoWorkflows: {
    activeDeadlineSeconds: 432_000,
    secondsAfterCompletion: 3600,
    parallelism: 1000,
    namespaceParallelism: 1000,
  },
  nodePools: {
    critical: {
      architectures: ["amd64"],
      capacityTypes: ["on-demand"],
      taints: [{ key: criticalKey, value: "critical", effect: "NoSchedule" }],
      labels: { [criticalKey]: "critical" },
    },
    default: { architectures: ["amd64"], capacityTypes: ["spot", "on-demand"], taints: [], labels: {} },
    gpu: {
      architectures: ["amd64"],
      capacityTypes: ["spot", "on-demand"],
      // The documentation gives it the value `true`, the charts none, GKE `present`: any of them will do.
      taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
      labels: { "nvidia.com/gpu.deploy.operands": "true" },
    },
  },
  storage: { wantsEncryption: true, ebsType: "gp3" },
  baseDomains: [],
};
