export { type AdoptionStep, type ArgoFacts, findHarm, planAdoption } from "./adopt.ts";
export { type AddonApplication, toAdoptedApplication, toAdoptingApplication, toApplication } from "./application.ts";
export { installErrors } from "./errors.ts";
export { collectImages, isMirrored, mirroredImage, valuesOfMirror } from "./images/index.ts";
export { type InstalledChart, type ReadApplication, readApplication } from "./installed-chart.ts";
export { mergeValues } from "./merge-values.ts";
export type { Mirrors } from "./mirrors.ts";
export {
  type InstallPlan,
  type InstallStep,
  type InstallWay,
  planInstall,
} from "./plan.ts";
export { findSecretValues } from "./secret-values.ts";
export {
  compareThreeWay,
  type FieldDifference,
  type FieldFate,
  isByHand,
  type ObjectDifference,
  pairManifests,
  type ThreeShapes,
} from "./three-way/index.ts";
export { planUpgrade, type UpgradeOptions, type UpgradePlan, type UpgradeStep } from "./upgrade.ts";
