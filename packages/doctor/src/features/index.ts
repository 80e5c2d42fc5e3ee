export { type FeatureId, featureIds } from "./feature.ts";
