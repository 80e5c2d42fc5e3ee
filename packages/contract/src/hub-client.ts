// The one client of the hub's API, for the CLI and tests.
import { accessRequestOperations, grantOperations, signInOperations, subjectOperations } from "./access/index.ts";
import { type AuditCalls, createAuditCalls, splitLines } from "./audit/index.ts";
import { type Calls, createCalls } from "./calls.ts";
import { type ClusterApiCalls, createClusterApiCalls } from "./cluster-api.ts";
import { clusterOperations } from "./cluster-operations.ts";
import { type CommandCalls, createCommandCalls } from "./commands/index.ts";
import { createSend, createSendForBytes, type HubClientOptions } from "./fetch-send.ts";
import { fitnessOperations } from "./fitness/index.ts";
import { createGitopsCalls, type GitopsCalls } from "./gitops/index.ts";
import { hubOperations } from "./hub-operations.ts";
import { createInventoryCalls, type InventoryCalls } from "./inventory/index.ts";
import { profileOperations } from "./profiles/index.ts";
import { rolloutOperations } from "./rollouts/index.ts";
import { scheduleOperations } from "./schedules/index.ts";
import { stackOperations } from "./stacks/index.ts";
import { templateOperations } from "./templates/index.ts";

export interface HubClient
  extends Calls<typeof hubOperations>,
    Calls<typeof clusterOperations>,
    Calls<typeof signInOperations>,
    Calls<typeof subjectOperations>,
    Calls<typeof grantOperations>,
    Calls<typeof accessRequestOperations>,
    Calls<typeof fitnessOperations>,
    Calls<typeof profileOperations>,
    Calls<typeof rolloutOperations>,
    Calls<typeof scheduleOperations>,
    Calls<typeof stackOperations>,
    Calls<typeof templateOperations>,
    AuditCalls,
    ClusterApiCalls,
    CommandCalls,
    GitopsCalls,
    InventoryCalls {}

/** Every failure is a `HubError`, except that an aborted call rejects with its signal's reason. */
export function createHubClient(options: HubClientOptions): HubClient {
  const send = createSend(options);
  const sendForBytes = createSendForBytes(options);
  return {
    ...createCalls(send, hubOperations),
    ...createCalls(send, clusterOperations),
    ...createCalls(send, signInOperations),
    ...createCalls(send, subjectOperations),
    ...createCalls(send, grantOperations),
    ...createCalls(send, accessRequestOperations),
    ...createCalls(send, fitnessOperations),
    ...createCalls(send, profileOperations),
    ...createCalls(send, rolloutOperations),
    ...createCalls(send, scheduleOperations),
    ...createCalls(send, stackOperations),
    ...createCalls(send, templateOperations),
    ...createAuditCalls(send, (call) => splitLines(sendForBytes(call))),
    ...createClusterApiCalls(send, sendForBytes),
    ...createCommandCalls(send, sendForBytes),
    ...createGitopsCalls(send),
    ...createInventoryCalls(send),
  };
}
