export { computeFeatures } from "./compute-features.ts";
export { type ExamineOptions, examineCluster } from "./examine.ts";
export type { AddonReport, AddonState, CheckReport, Report } from "./report.ts";
