export { isMap } from "./align-items.ts";
export { isSame } from "./comparable.ts";
export {
  compareThreeWay,
  type FieldDifference,
  type FieldFate,
  isByHand,
  type ObjectDifference,
  type ThreeShapes,
} from "./compare.ts";
export { pairManifests } from "./pair-manifests.ts";
