import type { Addon } from "../catalogue/index.ts";
import { optionalEverywhere } from "./need.ts";

/** Kubeflow's controller of notebooks, which no chart of ours installs: it comes with a Kubeflow or by manifests. */
export const notebooks: Addon = {
  id: "notebooks",
  title: "Notebook controller",
  need: optionalEverywhere,
  signals: {
    resources: ["notebooks.kubeflow.org"],
    components: [
      {
        name: "controller",
        isEssential: true,
        images: ["notebook-controller", "kf-notebook-controller", "odh-kf-notebook-controller-rhel9"],
      },
    ],
  },
  checks: [],
  unlocks: ["notebooks"],
};
