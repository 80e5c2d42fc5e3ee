export { karpenter } from "./karpenter.ts";
