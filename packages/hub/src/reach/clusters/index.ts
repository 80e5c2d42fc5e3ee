export { clustersErrors } from "./errors.ts";
export { createClusterRoutes, type JoinTokens } from "./routes.ts";
export { openClusters } from "./service.ts";
export type { Absence, AgentFacts, Clusters, LinkPresence, NewClusterEvent, PresentLink, Staleness } from "./types.ts";
