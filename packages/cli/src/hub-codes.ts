// Only types are imported from the contract: kubectl's plugin has to start fast.
import type { ApiCode, HubCode } from "@fairlead/contract";
import { type Codes, defineCodes } from "@fairlead/kernel";

/** The codes of failed calls to the hub that commands act on. */
export const hubCodes: Codes<ApiCode | HubCode> = defineCodes<ApiCode | HubCode>([
  "API_ANSWER_FOREIGN",
  "API_UNREACHABLE",
  "CLUSTER_ALARM_AGAIN",
  "CLUSTER_ALARM_NOT_FOUND",
  "GITOPS_APPLICATION_CONFLICT",
  "LIVE_RIGHTS_CHANGED",
  "OBJECTS_FORBIDDEN",
  "OBJECTS_KIND_NOT_OBSERVED",
  "OBJECTS_KIND_UNKNOWN",
]);
