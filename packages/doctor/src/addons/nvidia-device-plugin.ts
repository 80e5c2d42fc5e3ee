import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, type Fix, fixBy, safe } from "../checks/index.ts";
import type { Workload } from "../workloads/index.ts";
import { gpuNodeChecks } from "./gpu-nodes.ts";
import { optionalEverywhere } from "./need.ts";

/** The plugin by itself, by its own chart or a provider's. The GPU operator brings one of its own, which isn't meant here. */
export const nvidiaDevicePlugin: Addon = {
  id: "nvidia-device-plugin",
  title: "NVIDIA device plugin",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [
      {
        name: "device-plugin",
        isEssential: true,
        images: ["nvidia/k8s-device-plugin", "nvidia-gpu-device-plugin"],
        labels: { name: ["nvidia-device-plugin-ds"] },
        names: [/nvidia-device-plugin$/, /^nvidia-gpu-device-plugin/],
      },
    ],
  },
  checks: gpuNodeChecks({ addon: "nvidia-device-plugin", tolerate }),
  unlocks: ["gpu"],
  alternatives: ["gpu-operator"],
};

function tolerate({ installation }: CheckInput, { ref }: Workload, tolerations: readonly unknown[]): Fix {
  const patch = { spec: { template: { spec: { tolerations } } } };
  const otherwise: Fix = { is: "patch", risk: safe, object: ref, type: "merge", patch };
  return fixBy({ installation, chart: "nvidia-device-plugin", values: { tolerations }, otherwise });
}
