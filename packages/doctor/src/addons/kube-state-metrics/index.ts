import type { Addon } from "../../catalogue/index.ts";
import { essentialEverywhere } from "../need.ts";
import { imageOfExporter, nodeLabelsCheck, podLabelsCheck } from "./label-checks.ts";

/** kube-prometheus-stack brings it along, so that it has no installation of its own. */
export const kubeStateMetrics: Addon = {
  id: "kube-state-metrics",
  title: "kube-state-metrics",
  need: essentialEverywhere,
  signals: {
    resources: [],
    components: [{ name: "exporter", isEssential: true, images: [imageOfExporter] }],
  },
  checks: [podLabelsCheck, nodeLabelsCheck],
  unlocks: ["metrics"],
};
