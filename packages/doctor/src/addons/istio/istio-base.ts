import type { Addon } from "../../catalogue/index.ts";
import { optionalEverywhere } from "../need.ts";

/** Istio's CRDs. They are served once the control plane is there, whose workload therefore stands for them. */
export const istioBase: Addon = {
  id: "istio-base",
  title: "Istio's resource definitions",
  need: optionalEverywhere,
  signals: {
    resources: ["gateways.networking.istio.io", "virtualservices.networking.istio.io"],
    components: [{ name: "discovery", isEssential: true, images: ["/pilot"] }],
  },
  checks: [],
  unlocks: [],
  install: {
    chart: "base",
    repository: "https://istio-release.storage.googleapis.com/charts",
    version: "1.30.0",
    versionRange: ">=1.24.0 <2.0.0",
    namespace: "istio-system",
    release: "istio-base",
    order: -11,
    after: [],
    values: () => ({}),
  },
};
