import type { Addon } from "../catalogue/index.ts";

/** For clusters of every type. */
export const optionalEverywhere: Addon["need"] = {
  eks: "optional",
  gke: "optional",
  aks: "optional",
  openshift: "optional",
  oke: "optional",
  generic: "optional",
};

export const essentialEverywhere: Addon["need"] = {
  eks: "essential",
  gke: "essential",
  aks: "essential",
  openshift: "essential",
  oke: "essential",
  generic: "essential",
};
