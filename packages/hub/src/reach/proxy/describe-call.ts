// A request in the words of its records: in the audit trail when it begins and ends, and in the log.
import type { FairleadError } from "@fairlead/kernel";
import { toLoggablePath } from "@fairlead/protocol";
import type { AuditOutcome, AuditStart } from "../../people/audit/index.ts";
import { type Call, isLong, type Known } from "./call.ts";
import type { FinishedRequest } from "./ports.ts";

export interface Outcome {
  /** Undefined when the answer had begun and was cut. */
  readonly status: number | undefined;
  readonly error: FairleadError | undefined;
  /** Bodies, or what passed after an upgrade; undefined when no stream was opened. */
  readonly passed: { readonly sentBytes: number; readonly receivedBytes: number } | undefined;
}

export function describeStart(call: Call, known: Known): AuditStart {
  const { req, remoteAddress, target } = call;
  const { requestId, attributes, principal, impersonate } = known;
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
    isLong: isLong(call, attributes),
    isChange: !reading.has(attributes?.verb ?? ""),
    kubectlCommand: textOf(headers["kubectl-command"]),
    kubectlSession: textOf(headers["kubectl-session"]),
  };
}

export function describeEnd(call: Call, { status, error, passed }: Outcome): AuditOutcome {
  return {
    status,
    code: error?.code,
    reason: error?.message,
    bytesToCluster: passed?.sentBytes ?? 0,
    bytesFromCluster: passed?.receivedBytes ?? 0,
    durationMs: performance.now() - call.startedMs,
  };
}

export function describeForLog(call: Call, known: LoggedCall, { status, error, passed }: Outcome): FinishedRequest {
  return {
    requestId: known.requestId,
    cluster: call.target?.cluster ?? "",
    method: call.req.method ?? "",
    path: loggablePath(call).slice(0, maxPathLength),
    isUpgrade: call.isUpgrade,
    isLong: isLong(call, known.attributes),
    status,
    bytesToCluster: passed?.sentBytes ?? 0,
    bytesFromCluster: passed?.receivedBytes ?? 0,
    durationMs: Math.round(performance.now() - call.startedMs),
    error,
  };
}

type LoggedCall = Pick<Known, "requestId" | "attributes">;

function loggablePath(call: Call): string {
  return toLoggablePath(call.target?.path ?? call.req.url ?? "");
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

/** As in audit records. A path may have a megabyte. */
const maxPathLength = 2_048;
const reading = new Set(["get", "list", "watch", "head", "options"]);
