// One request on its way through the proxy, from its head to its records.
import type { IncomingMessage } from "node:http";
import type { FairleadError } from "@fairlead/kernel";
import { isLasting, type RequestAttributes } from "@fairlead/kube";
import { type CallerIdentity, type MeteredStream, toLoggablePath } from "@fairlead/protocol";
import type { AuditOutcome, AuditStart, AuditTrail } from "../audit/index.ts";
import type { LimitLease } from "../limits/index.ts";
import { readRemoteAddress } from "../server/index.ts";
import type { Caller, FinishedRequest, Impersonation } from "./ports.ts";
import { readRequestId } from "./request-id.ts";
import { readTarget } from "./target.ts";

export interface Call {
  readonly req: IncomingMessage;
  /** The client's own where it may choose. */
  requestId: string;
  readonly isUpgrade: boolean;
  readonly remoteAddress: string;
  readonly target: { readonly cluster: string; readonly path: string } | undefined;
  /** Of the clock that only runs forwards. */
  readonly startedMs: number;
  /** Counts what passes, once there is a stream; another one for each attempt. */
  metered: MeteredStream | undefined;
  attributes: RequestAttributes | undefined;
  principal: Caller | undefined;
  impersonate: Impersonation | undefined;
  identity: CallerIdentity | undefined;
  isRecorded: boolean;
  lease: LimitLease | undefined;
  trail: AuditTrail | undefined;
  isOver: boolean;
}

/** A call that the hub's policy has let in. */
export type AdmittedCall = Call & {
  readonly target: { readonly cluster: string; readonly path: string };
  readonly attributes: RequestAttributes;
  readonly principal: Caller;
  readonly identity: CallerIdentity;
};

export function createCall(req: IncomingMessage, isUpgrade: boolean): Call {
  return {
    req,
    // A session's recording is found by its id: nobody may put another one under the same.
    requestId: readRequestId(isUpgrade ? undefined : req.headers["x-request-id"]),
    isUpgrade,
    remoteAddress: readRemoteAddress(req),
    target: readTarget(req.url ?? ""),
    startedMs: performance.now(),
    metered: undefined,
    attributes: undefined,
    principal: undefined,
    impersonate: undefined,
    identity: undefined,
    isRecorded: false,
    lease: undefined,
    trail: undefined,
    isOver: false,
  };
}

/** It goes on for as long as its client wants: it counts as a stream, and its start is recorded as well. */
export function isLong(call: Call): boolean {
  return call.isUpgrade || isLasting(call.attributes, call.target?.path ?? "");
}

/** A session in a pod, which a binding may ask to keep. */
export function isRecordable(call: Call): boolean {
  return call.isUpgrade && recordable.has(call.attributes?.subresource ?? "");
}

export function describeStart(call: Call): AuditStart {
  const { req, requestId, remoteAddress, target, attributes, principal, impersonate } = call;
  const { headers } = req;
  return {
    requestId,
    at: Date.now(),
    principal,
    actingAs: impersonate?.user,
    remoteAddress,
    userAgent: headers["user-agent"] ?? "",
    cluster: target?.cluster ?? "",
    method: req.method ?? "",
    path: loggablePath(call),
    attributes,
    isLong: isLong(call),
    isChange: !reading.has(attributes?.verb ?? ""),
    kubectlCommand: textOf(headers["kubectl-command"]),
    kubectlSession: textOf(headers["kubectl-session"]),
  };
}

export function describeEnd(call: Call, status: number | undefined, error: FairleadError | undefined): AuditOutcome {
  return {
    status,
    code: error?.code,
    reason: error?.message,
    bytesToCluster: call.metered?.sentBytes ?? 0,
    bytesFromCluster: call.metered?.receivedBytes ?? 0,
    durationMs: performance.now() - call.startedMs,
  };
}

export function describeForLog(
  call: Call,
  status: number | undefined,
  error: FairleadError | undefined,
): FinishedRequest {
  return {
    requestId: call.requestId,
    cluster: call.target?.cluster ?? "",
    method: call.req.method ?? "",
    path: loggablePath(call),
    isUpgrade: call.isUpgrade,
    status,
    bytesToCluster: call.metered?.sentBytes ?? 0,
    bytesFromCluster: call.metered?.receivedBytes ?? 0,
    durationMs: Math.round(performance.now() - call.startedMs),
    error,
  };
}

function loggablePath(call: Call): string {
  return toLoggablePath(call.target?.path ?? call.req.url ?? "");
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

const reading = new Set(["get", "list", "watch", "head", "options"]);
const recordable = new Set(["exec", "attach"]);
