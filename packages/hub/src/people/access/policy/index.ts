export { accessErrors } from "./errors.ts";
export {
  choicesOverlap,
  choosesCluster,
  fitsHubRule,
  formatResource,
  givesEverything,
  type Labels,
  matchesName,
  missOfRule,
} from "./match.ts";
export { adminName, robotPrefix } from "./names.ts";
export { isAboutOneself, isDiscovery } from "./open-to-all.ts";
export { decide, type Grant, type LabelledCluster, mayOnHub, missOfRole, namesAsker, selectGrants } from "./policy.ts";
export { endOf, isOver } from "./term.ts";
export type {
  AbsentAsker,
  ClusterRequest,
  Decision,
  HubRequest,
  ImpersonationRequest,
  Principal,
} from "./types.ts";
