import type { ClusterCheck } from "../../checks/index.ts";
import { claimsBound } from "./claims-bound.ts";
import { defaultClass } from "./default-class.ts";
import { bindingMode, ebsType, encrypted, expandable, provisionerServed } from "./default-settings.ts";
import { efsParameters, sharedVolumes } from "./shared-volumes.ts";

/** In the order of their ids. */
export const storageChecks: readonly ClusterCheck[] = [
  bindingMode,
  claimsBound,
  defaultClass,
  ebsType,
  efsParameters,
  encrypted,
  expandable,
  provisionerServed,
  sharedVolumes,
];
