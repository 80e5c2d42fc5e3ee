export { toApplication } from "./application.ts";
export { mergeValues } from "./merge-values.ts";
export {
  type InstallPlan,
  type InstallStep,
  type InstallWay,
  type Mirrors,
  type PlanOptions,
  planInstall,
} from "./plan.ts";
