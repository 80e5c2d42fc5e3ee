// The one client of the hub's API, for the CLI, the UI and tests. `fetch` is a port: the CLI brings one that trusts
// only the hub's CA, a browser brings its own.
import { type AccessClient, createAccessClient } from "./access/index.ts";
import { type AuditCalls, createAuditCalls, splitLines } from "./audit/index.ts";
import { type CaCalls, createCaCalls } from "./ca.ts";
import { type Calls, createCalls } from "./calls.ts";
import { type Cluster, type ClusterList, clusterListSchema, clusterSchema } from "./cluster.ts";
import type { SeeAlarmRequest } from "./cluster-alarm.ts";
import { type ClusterApiCalls, createClusterApiCalls } from "./cluster-api.ts";
import { type ClusterDetail, clusterDetailSchema } from "./cluster-detail.ts";
import {
  type CreateClusterRequest,
  type CreateClusterResponse,
  createClusterResponseSchema,
  type RevokeClusterRequest,
} from "./cluster-requests.ts";
import { type CommandCalls, createCommandCalls } from "./commands/index.ts";
import { createDeclarationCalls, type DeclarationCalls } from "./declarations.ts";
import { createSend, createSendForBytes, type HubClientOptions } from "./fetch-send.ts";
import { createFitnessCalls, type FitnessCalls } from "./fitness/index.ts";
import { createGitopsCalls, type GitopsCalls } from "./gitops/index.ts";
import { createHubCalls, type HubCalls } from "./hubs.ts";
import { createInventoryCalls, type InventoryCalls } from "./inventory/index.ts";
import { type CreateJoinTokenRequest, type Join, joinSchema } from "./join.ts";
import { paths } from "./paths.ts";
import { profileOperations } from "./profiles/index.ts";
import { createRolloutCalls, type RolloutCalls } from "./rollouts/index.ts";
import { createScheduleCalls, type ScheduleCalls } from "./schedules/index.ts";
import type { CallOptions } from "./send.ts";
import { createStackCalls, type StackCalls } from "./stacks/index.ts";
import { createTemplateCalls, type TemplateCalls } from "./templates/index.ts";
import { type HubVersion, hubVersionSchema } from "./version.ts";
import { type Whoami, whoamiSchema } from "./whoami.ts";

export interface HubClient
  extends AccessClient,
    AuditCalls,
    CaCalls,
    ClusterApiCalls,
    CommandCalls,
    DeclarationCalls,
    FitnessCalls,
    GitopsCalls,
    HubCalls,
    InventoryCalls,
    Calls<typeof profileOperations>,
    RolloutCalls,
    ScheduleCalls,
    StackCalls,
    TemplateCalls {
  version(options?: CallOptions): Promise<HubVersion>;
  whoami(options?: CallOptions): Promise<Whoami>;
  listClusters(options?: CallOptions): Promise<ClusterList>;
  getCluster(name: string, options?: CallOptions): Promise<ClusterDetail>;
  createCluster(request: CreateClusterRequest, options?: CallOptions): Promise<CreateClusterResponse>;
  createJoinToken(name: string, request: CreateJoinTokenRequest, options?: CallOptions): Promise<Join>;
  revokeCluster(name: string, request: RevokeClusterRequest, options?: CallOptions): Promise<Cluster>;
  seeClusterAlarm(name: string, id: string, request: SeeAlarmRequest, options?: CallOptions): Promise<void>;
  removeCluster(name: string, options?: CallOptions): Promise<void>;
}

/** Every failure is a `HubError`, except that an aborted call rejects with its signal's reason. */
export function createHubClient(options: HubClientOptions): HubClient {
  const send = createSend(options);
  const sendForBytes = createSendForBytes(options);
  return {
    ...createAccessClient(send),
    ...createAuditCalls(send, (call) => splitLines(sendForBytes(call))),
    ...createCaCalls(send),
    ...createClusterApiCalls(send, sendForBytes),
    ...createCommandCalls(send, sendForBytes),
    ...createDeclarationCalls(send),
    ...createFitnessCalls(send),
    ...createGitopsCalls(send),
    ...createHubCalls(send),
    ...createInventoryCalls(send),
    ...createCalls(send, profileOperations),
    ...createRolloutCalls(send),
    ...createScheduleCalls(send),
    ...createStackCalls(send),
    ...createTemplateCalls(send),
    version: (call) => send({ ...call, method: "GET", path: paths.version, answer: hubVersionSchema }),
    whoami: (call) => send({ ...call, method: "GET", path: paths.whoami, answer: whoamiSchema }),
    listClusters: (call) => send({ ...call, method: "GET", path: paths.clusters, answer: clusterListSchema }),
    getCluster: (name, call) =>
      send({ ...call, method: "GET", path: paths.cluster(name), answer: clusterDetailSchema }),
    createCluster: (body, call) =>
      send({ ...call, method: "POST", path: paths.clusters, body, answer: createClusterResponseSchema }),
    createJoinToken: (name, body, call) =>
      send({ ...call, method: "POST", path: paths.clusterTokens(name), body, answer: joinSchema }),
    revokeCluster: (name, body, call) =>
      send({ ...call, method: "POST", path: paths.clusterRevoke(name), body, answer: clusterSchema }),
    seeClusterAlarm: (name, id, body, call) =>
      send({ ...call, method: "POST", path: paths.clusterAlarmSeen(name, id), body }),
    removeCluster: (name, call) => send({ ...call, method: "DELETE", path: paths.cluster(name) }),
  };
}
