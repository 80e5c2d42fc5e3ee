export type { AddonReport, AddonState, CheckReport, FeatureReport, Report, TypeFinding } from "./report.ts";
