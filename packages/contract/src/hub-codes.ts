/** Faults of a question about objects. */
export const questionCodes = [
  "OBJECTS_CLUSTER_UNKNOWN",
  "OBJECTS_CURSOR_INVALID",
  "OBJECTS_FORBIDDEN",
  "OBJECTS_KIND_NOT_OBSERVED",
  "OBJECTS_KIND_UNKNOWN",
  "OBJECTS_NOT_FOUND",
  "OBJECTS_NOT_OBSERVED",
  "OBJECTS_NO_CLUSTER_VISIBLE",
  "OBJECTS_QUERY_INVALID",
  "OBJECTS_SELECTOR_INVALID",
  "OBJECTS_TOO_BUSY",
] as const;

/** Faults of a question about a run. */
export const runQuestionCodes = ["COMMAND_LOG_GONE", "COMMAND_NOT_FOUND"] as const;

/** The hub's codes that its clients act on. */
export type HubCode =
  | (typeof questionCodes)[number]
  | (typeof runQuestionCodes)[number]
  | "API_ROUTE_UNKNOWN"
  | "CLUSTER_ALARM_AGAIN"
  | "CLUSTER_ALARM_NOT_FOUND"
  | "CLUSTER_IDENTITY_MISMATCH"
  | "GITOPS_APPLICATION_CONFLICT"
  | "LIVE_RIGHTS_CHANGED";
