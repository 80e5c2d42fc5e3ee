export { computeFeatures } from "./compute-features.ts";
export { type ExamineOptions, examineCluster } from "./examine.ts";
export { allChecks, type Fitness, judgeFitness, type Shortfall } from "./fitness.ts";
export type { AddonReport, AddonState, CheckReport, Report } from "./report.ts";
