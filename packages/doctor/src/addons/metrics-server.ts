import type { Addon } from "../catalogue/index.ts";

export const metricsServer: Addon = {
  id: "metrics-server",
  title: "metrics-server",
  need: {
    eks: "essential",
    gke: "optional",
    aks: "optional",
    openshift: "optional",
    oke: "optional",
    generic: "optional",
  },
  signals: {
    resources: [],
    components: [{ name: "metrics-server", isEssential: true, images: ["metrics-server/metrics-server"] }],
  },
  checks: [],
  unlocks: ["autoscaling-by-cpu"],
};
