// The one client of the hub's API, for the CLI, the UI and tests. `fetch` is a port: the CLI brings one that trusts
// only the hub's CA, a browser brings its own.
import { createId, isFairleadError } from "@fairlead/kernel";
import { type AccessClient, createAccessClient } from "./access/index.ts";
import { type AuditCalls, createAuditCalls, splitLines } from "./audit/index.ts";
import { type CaCalls, createCaCalls } from "./ca.ts";
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
import { createFitnessCalls, type FitnessCalls } from "./fitness/index.ts";
import { createGitopsCalls, type GitopsCalls } from "./gitops/index.ts";
import { answerInvalid, hubAnswered, hubUnreachable, parseJson } from "./hub-error.ts";
import { createHubCalls, type HubCalls } from "./hubs.ts";
import { createInventoryCalls, type InventoryCalls } from "./inventory/index.ts";
import { type CreateJoinTokenRequest, type Join, joinSchema } from "./join.ts";
import { paths } from "./paths.ts";
import { createProfileCalls, type ProfileCalls } from "./profiles/index.ts";
import { createRolloutCalls, type RolloutCalls } from "./rollouts/index.ts";
import { createScheduleCalls, type ScheduleCalls } from "./schedules/index.ts";
import type { Call, CallOptions, Send, SendForBytes, SendForLines } from "./send.ts";
import { createStackCalls, type StackCalls } from "./stacks/index.ts";
import { createTemplateCalls, type TemplateCalls } from "./templates/index.ts";
import { type HubVersion, hubVersionSchema } from "./version.ts";
import { type Whoami, whoamiSchema } from "./whoami.ts";

/** The part of `fetch` that is used here; the global one fits. */
export type HubFetch = (url: string, init: HubFetchInit) => Promise<HubFetchAnswer>;

export interface HubFetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** The answer is wanted as soon as its head is there: its body may never end. */
  stream?: boolean;
}

export interface HubFetchAnswer {
  readonly status: number;
  /** Needed when `stream` was asked for. */
  readonly body?: AsyncIterable<Uint8Array> | null | undefined;
  text(): Promise<string>;
}

export interface HubClientOptions {
  /** Where people reach the hub, such as `https://hub.example.com:8443`. */
  readonly baseUrl: string;
  /** The bearer token; without it only what needs no sign-in works. */
  readonly token?: string | undefined;
  readonly fetch?: HubFetch | undefined;
}

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
    ProfileCalls,
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
  return {
    ...createAccessClient(send),
    ...createAuditCalls(send, createSendForLines(options)),
    ...createCaCalls(send),
    ...createClusterApiCalls(send, createSendForBytes(options)),
    ...createCommandCalls(send, createSendForBytes(options)),
    ...createDeclarationCalls(send),
    ...createFitnessCalls(send),
    ...createGitopsCalls(send),
    ...createHubCalls(send),
    ...createInventoryCalls(send),
    ...createProfileCalls(send),
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

function createSend(options: HubClientOptions): Send {
  const { baseUrl, port } = readOptions(options);

  return async (call) => {
    const requestId = createId("req");
    const answer = await reach(baseUrl, call.signal, async () => {
      const response = await port(`${baseUrl}${call.path}`, toInit(call, requestId, options.token));
      return { status: response.status, body: await response.text(), requestId };
    });
    if (answer.status < 200 || answer.status > 299) throw hubAnswered(answer);
    if (!call.answer) return undefined as never;

    const parsed = call.answer.safeParse(parseJson(answer.body));
    if (!parsed.success) throw answerInvalid(`${call.method} ${call.path}`, requestId, parsed.error);
    return parsed.data;
  };
}

function createSendForLines(options: HubClientOptions): SendForLines {
  const sendForBytes = createSendForBytes(options);
  return (call) => splitLines(sendForBytes(call));
}

function createSendForBytes(options: HubClientOptions): SendForBytes {
  const { baseUrl, port } = readOptions(options);

  return async function* (call) {
    const requestId = createId("req");
    const { signal } = call;
    const response = await reach(baseUrl, signal, () =>
      port(`${baseUrl}${call.path}`, { ...toInit(call, requestId, options.token), stream: true }),
    );
    if (response.status !== 200 || !response.body) {
      const body = await reach(baseUrl, signal, () => response.text());
      throw hubAnswered({ status: response.status, body, requestId });
    }
    const chunks = response.body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await reach(baseUrl, signal, () => chunks.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  };
}

async function reach<T>(baseUrl: string, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason;
    throw isFairleadError(thrown) ? thrown : hubUnreachable(baseUrl, thrown);
  }
}

function readOptions(options: HubClientOptions): { readonly baseUrl: string; readonly port: HubFetch } {
  const port: HubFetch = options.fetch ?? ((url, init) => fetch(url, init));
  return { baseUrl: options.baseUrl.replace(/\/+$/, ""), port };
}

function toInit(call: Call<unknown>, requestId: string, token: string | undefined): HubFetchInit {
  const headers: Record<string, string> = { accept: "application/json", "x-request-id": requestId };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  if (call.body !== undefined) headers["content-type"] = "application/json";
  return {
    method: call.method,
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
}
