export { type FeatureId, type FeatureReason, type FeatureReport, type FeatureState, featureIds } from "./feature.ts";
export { featureNeeds } from "./needs.ts";
