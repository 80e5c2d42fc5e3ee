// A request of the proxy: as it was asked, and what admission made of it. Nothing here changes later; the exchange or the
// splice that runs the request keeps its own counts.
import type { IncomingMessage } from "node:http";
import type { FairleadError } from "@fairlead/kernel";
import { isLasting, type RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";
import type { AuditTrail } from "../../people/audit/index.ts";
import type { LimitLease } from "../../platform/limits/index.ts";
import { readRemoteAddress } from "../../platform/server/index.ts";
import type { Caller, Impersonation } from "./ports.ts";
import { readRequestId } from "./request-id.ts";
import { readTarget, type Target } from "./target.ts";

/** A request as it arrived. */
export interface Call {
  readonly req: IncomingMessage;
  /** The client's own where it may choose. */
  readonly requestId: string;
  readonly isUpgrade: boolean;
  readonly remoteAddress: string;
  readonly target: Target | undefined;
  /** Read from the clock that only runs forwards. */
  readonly startedMs: number;
}

/** The parts of a request that were understood. A refusal may come before all of it is known. */
export interface Known {
  readonly requestId: string;
  readonly principal: Caller | undefined;
  readonly attributes: RequestAttributes | undefined;
  readonly impersonate: Impersonation | undefined;
}

/** The hub's policy lets it in. */
export interface AdmittedCall extends Known {
  readonly is: "admitted";
  readonly call: Call;
  readonly target: Target;
  readonly principal: Caller;
  readonly attributes: RequestAttributes;
  /** The caller whose rights it has in the cluster. */
  readonly identity: CallerIdentity;
  readonly isRecorded: boolean;
  readonly lease: LimitLease | undefined;
  readonly trail: AuditTrail | undefined;
}

export interface RefusedCall {
  readonly is: "refused";
  readonly call: Call;
  readonly known: Known;
  readonly error: FairleadError;
}

export type Admission = AdmittedCall | RefusedCall;

export function createCall(
  req: IncomingMessage,
  options: { readonly isUpgrade: boolean; readonly clusterDomain?: string | undefined },
): Call {
  const { isUpgrade, clusterDomain } = options;
  return {
    req,
    // A session's recording is found by its id: nobody may put another one under the same.
    requestId: readRequestId(isUpgrade ? undefined : req.headers["x-request-id"]),
    isUpgrade,
    remoteAddress: readRemoteAddress(req),
    target: readTarget({ url: req.url ?? "", host: req.headers.host, clusterDomain }),
    startedMs: performance.now(),
  };
}

/** It goes on for as long as its client wants: it counts as a stream, and its start is recorded as well. */
export function isLong(call: Call, attributes: RequestAttributes | undefined): boolean {
  return call.isUpgrade || isLasting(attributes, call.target?.path ?? "");
}

/** A session in a pod, which a binding may ask to keep. */
export function isRecordable(call: Call, attributes: RequestAttributes): boolean {
  return call.isUpgrade && recordable.has(attributes.subresource);
}

const recordable = new Set(["exec", "attach"]);
