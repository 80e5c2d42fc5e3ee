export { toApplication } from "./application.ts";
export { installErrors } from "./errors.ts";
export {
  type InstallPlan,
  type InstallStep,
  type InstallWay,
  type Mirrors,
  planInstall,
} from "./plan.ts";
