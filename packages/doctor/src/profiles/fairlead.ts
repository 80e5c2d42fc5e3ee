import type { Profile } from "./profile.ts";

/** Asks for nothing but what Fairlead itself and the usual labels of Kubernetes need. */
export const fairlead: Profile = {
  name: "fairlead",
  argocd: { project: "default", applicationNamespaces: ["*"] },
  kubeStateMetrics: {
    podLabels: ["app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component"],
    nodeLabels: ["node.kubernetes.io/instance-type", "karpenter.sh/capacity-type", "karpenter.sh/nodepool"],
  },
  prometheus: { monitorLabels: { release: "prometheus" }, retentionDays: 7 },
  logs: { streamFields: ["namespace", "pod", "container", "stream"], retentionDays: 7 },
  argoWorkflows: {
    activeDeadlineSeconds: 432_000,
    secondsAfterCompletion: 3600,
    parallelism: 1000,
    namespaceParallelism: 1000,
  },
  nodePools: {
    default: { architectures: ["amd64"], capacityTypes: ["spot", "on-demand"], taints: [], labels: {} },
  },
  storage: { wantsEncryption: true, ebsType: "gp3" },
  baseDomains: [],
};
