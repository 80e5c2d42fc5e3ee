export type { ApplicationName, ArgoObjectName } from "./gitops-calls.ts";
export { createHubClient, type HubClient } from "./hub-client.ts";
