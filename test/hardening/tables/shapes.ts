import { autoscalerShapes } from "./autoscalers.ts";
import { machineryShapes } from "./machinery.ts";
import { networkShapes } from "./network.ts";
import { platformShapes } from "./platform.ts";
import { policyShapes } from "./policy.ts";
import { storageShapes } from "./storage.ts";
import type { KindShapes } from "./vary.ts";
import { workloadShapes } from "./workloads.ts";

/** Of every kind that Kubernetes has but pods. */
export const kindShapes: KindShapes = {
  ...workloadShapes,
  ...networkShapes,
  ...storageShapes,
  ...platformShapes,
  ...policyShapes,
  ...autoscalerShapes,
  ...machineryShapes,
};
