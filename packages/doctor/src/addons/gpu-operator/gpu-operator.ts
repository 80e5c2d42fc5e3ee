import type { Addon } from "../../catalogue/index.ts";
import { gpuNodeChecks } from "../gpu-nodes.ts";
import { optionalEverywhere } from "../need.ts";
import { judgeClusterPolicy, tolerate } from "./cluster-policy.ts";
import { judgeExporter } from "./exporter.ts";

export const gpuOperator: Addon = {
  id: "gpu-operator",
  title: "NVIDIA GPU operator",
  need: optionalEverywhere,
  signals: {
    resources: ["clusterpolicies.nvidia.com"],
    components: [
      { name: "operator", isEssential: true, images: ["nvidia/gpu-operator"] },
      {
        name: "device-plugin",
        isEssential: false,
        images: ["nvidia/k8s-device-plugin"],
        labels: { app: ["nvidia-device-plugin-daemonset"] },
      },
      { name: "dcgm-exporter", isEssential: false, labels: { app: ["nvidia-dcgm-exporter"] } },
    ],
  },
  checks: [
    {
      id: "gpu-operator.cluster-policy",
      title: "The operator's ClusterPolicy is ready",
      why: "The operator installs drivers, toolkit and device plugin as its ClusterPolicy says, and tells by its state how far it got. Of several policies it ignores all but one.",
      severity: "required",
      features: ["gpu", "gpu-metrics"],
      judge: judgeClusterPolicy,
    },
    ...gpuNodeChecks({ addon: "gpu-operator", tolerate }),
    {
      id: "gpu-operator.exporter-scraped",
      title: "Prometheus scrapes the GPU exporter",
      why: "Use, memory and temperature of GPUs come from the DCGM exporter.",
      severity: "recommended",
      features: ["gpu-metrics"],
      judge: judgeExporter,
    },
  ],
  unlocks: ["gpu", "gpu-metrics"],
  install: {
    chart: "gpu-operator",
    repository: "https://helm.ngc.nvidia.com/nvidia",
    version: "v25.3.4",
    versionRange: ">=24.6.0 <27.0.0",
    isVersionOfProgram: true,
    namespace: "gpu-operator",
    release: "gpu-operator",
    order: 0,
    after: ["prometheus"],
    values: () => ({
      daemonsets: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] },
      dcgmExporter: { serviceMonitor: { enabled: true } },
    }),
  },
};
