// The one client of the hub's API, for the CLI and tests.
import type { Calls } from "../calls.ts";
import { createSend, createSendForBytes, type HubClientOptions } from "../fetch-send.ts";
import type { OperationTables } from "../operations.ts";
import { type AuditCalls, createAuditCalls } from "./audit-calls.ts";
import { type ClusterApiCalls, createClusterApiCalls } from "./cluster-api.ts";
import { type CommandCalls, createCommandCalls } from "./command-calls.ts";
import { createCalls } from "./create-calls.ts";
import { createGitopsCalls, type GitopsCalls } from "./gitops-calls.ts";
import { createInventoryCalls, type InventoryCalls } from "./inventory-calls.ts";
import { splitLines } from "./lines.ts";

export interface HubClient
  extends Calls<OperationTables["hubOperations"]>,
    Calls<OperationTables["clusterOperations"]>,
    Calls<OperationTables["signInOperations"]>,
    Calls<OperationTables["subjectOperations"]>,
    Calls<OperationTables["grantOperations"]>,
    Calls<OperationTables["accessRequestOperations"]>,
    Calls<OperationTables["fitnessOperations"]>,
    Calls<OperationTables["profileOperations"]>,
    Calls<OperationTables["rolloutOperations"]>,
    Calls<OperationTables["scheduleOperations"]>,
    Calls<OperationTables["stackOperations"]>,
    Calls<OperationTables["templateOperations"]>,
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
    ...createCalls(send, "hubOperations"),
    ...createCalls(send, "clusterOperations"),
    ...createCalls(send, "signInOperations"),
    ...createCalls(send, "subjectOperations"),
    ...createCalls(send, "grantOperations"),
    ...createCalls(send, "accessRequestOperations"),
    ...createCalls(send, "fitnessOperations"),
    ...createCalls(send, "profileOperations"),
    ...createCalls(send, "rolloutOperations"),
    ...createCalls(send, "scheduleOperations"),
    ...createCalls(send, "stackOperations"),
    ...createCalls(send, "templateOperations"),
    ...createAuditCalls(send, (call) => splitLines(sendForBytes(call))),
    ...createClusterApiCalls(send, sendForBytes),
    ...createCommandCalls(send, sendForBytes),
    ...createGitopsCalls(send),
    ...createInventoryCalls(send),
  };
}
