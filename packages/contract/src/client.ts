// The contract for the command line: types, the client, and what commands know before they ask. Schemas are loaded by those
// calls alone that read an answer, since making all of them takes longer than most commands.
import type { putRoleRequestSchema } from "./access/index.ts";
import type { liveMessageSchema } from "./live.ts";

export { applyGitopsChanges, applyLabelChanges } from "./apply-changes.ts";
export { createHubClient } from "./hub-client/index.ts";
export { HubError, hubAnswered, hubUnreachable, liveEnded } from "./hub-error.ts";
export type * from "./index.ts";
export { argoObjectKinds, commandLimits, roleNames, stackLimits, tokenTtlLimits } from "./limits.ts";
export { caHeader, caPath, clusterApiPath, livePath, liveSubprotocol } from "./places.ts";
export { pathOf } from "./web.ts";
export { whyOutdated } from "./why-outdated.ts";

/** Resolves to the schema of what the hub says on the live socket. */
export async function loadLiveMessageSchema(): Promise<typeof liveMessageSchema> {
  return (await import("./live.ts")).liveMessageSchema;
}

/** Resolves to the schema of a role that is set. */
export async function loadPutRoleRequestSchema(): Promise<typeof putRoleRequestSchema> {
  return (await import("./access/index.ts")).putRoleRequestSchema;
}
