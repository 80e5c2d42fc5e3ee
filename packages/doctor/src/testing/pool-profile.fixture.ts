import { fairlead, type Profile } from "../profiles/index.ts";

/** A profile that asks for all three pools, as TrueFoundry's documentation does. */
export const threePools: Profile = {
  ...fairlead,
  nodePools: {
    critical: {
      architectures: ["amd64"],
      capacityTypes: ["on-demand"],
      taints: [{ key: "class.truefoundry.com/component", value: "critical", effect: "NoSchedule" }],
      labels: { "class.truefoundry.com/component": "critical" },
    },
    default: { architectures: ["amd64"], capacityTypes: ["spot", "on-demand"], taints: [], labels: {} },
    gpu: {
      architectures: ["amd64"],
      capacityTypes: ["spot", "on-demand"],
      taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
      labels: { "nvidia.com/gpu.deploy.operands": "true" },
    },
  },
};
