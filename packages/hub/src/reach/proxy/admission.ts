// The caller, the request and the right to it: all that is decided before a byte goes to a cluster. It runs for every
// request, so it waits for nothing unless the sign-in must be looked up.
import type { IncomingMessage } from "node:http";
import { isSystemName, toFairleadError } from "@fairlead/kernel";
import { type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { callerGroups } from "@fairlead/protocol";
import { headBytesOf, usualHeadBytes } from "../../platform/server/index.ts";
import { type Admission, type AdmittedCall, type Call, isLong, isRecordable, type Known } from "./call.ts";
import { describeDenial } from "./denial.ts";
import { describeStart } from "./describe-call.ts";
import { pathAmbiguous, pathUnknown, proxyErrors } from "./errors.ts";
import { readImpersonation } from "./impersonation.ts";
import type { Caller, ProxyPorts } from "./ports.ts";
import { readRequestId } from "./request-id.ts";

export interface AdmissionOptions {
  readonly call: Call;
  readonly authorization: string | undefined;
  readonly ports: ProxyPorts;
}

/** Never throws and never rejects. Synchronous whenever the sign-in is known: a promise for each request would cost more. */
export function admit({ call, authorization, ports }: AdmissionOptions): Admission | Promise<Admission> {
  try {
    const caller = ports.access.authenticate(authorization);
    if (!(caller instanceof Promise)) return judge(call, caller, ports);
    return caller.then(
      (principal) => judge(call, principal, ports),
      (thrown: unknown) => refuse(call, nothingKnown(call), thrown),
    );
  } catch (thrown) {
    return refuse(call, nothingKnown(call), thrown);
  }
}

/** A refusal says how far the request was understood. */
function judge(call: Call, principal: Caller, ports: ProxyPorts): Admission {
  const known: Growing = { ...nothingKnown(call), principal };
  try {
    return letIn(call, principal, ports, known);
  } catch (thrown) {
    return refuse(call, known, thrown);
  }
}

/** Throws the error that the client is told when it can't go on. */
function letIn(call: Call, principal: Caller, ports: ProxyPorts, known: Growing): AdmittedCall {
  const { req, target } = call;
  if (isOddlyEncoded(req)) throw proxyErrors.PROXY_REQUEST_INVALID();
  if (!target) throw pathUnknown();
  const { cluster, path } = target;
  const attributes = readRequestAttributes({ method: req.method ?? "GET", path, upgrade: call.isUpgrade });
  if (!attributes) throw pathAmbiguous();
  known.attributes = attributes;
  if (call.isUpgrade && !isSupportedUpgrade(req)) throw proxyErrors.PROXY_UPGRADE_UNSUPPORTED();
  const impersonate = readImpersonation(req.rawHeaders);
  known.impersonate = impersonate;
  const decision = ports.access.authorize({
    principal,
    cluster,
    attributes,
    ...(impersonate === undefined ? {} : { impersonate }),
  });
  const deny = (reason: string): never => {
    throw proxyErrors.PROXY_ACCESS_DENIED({ sentence: describeDenial({ principal, cluster, attributes, reason }) });
  };
  if (!decision.allowed) return deny(decision.reason);
  const system = findSystemName(decision.identity);
  if (system !== undefined) return deny(`nobody acts as "${system}" through a hub`);
  if (decision.record && isKubelet(attributes))
    return deny("what a kubelet runs when it is asked itself isn't recorded");
  // This comes last: callers without any right on a cluster can't find out that it exists.
  if (!ports.exists(cluster)) throw proxyErrors.PROXY_CLUSTER_UNKNOWN({ cluster });
  const isRecorded = decision.record && isRecordable(call, attributes);
  // The later of two recordings with the same id would hide the other.
  if (isRecorded) known.requestId = readRequestId(undefined);
  const lease = ports.limits?.admit({
    principal: principal.name,
    cluster,
    isLong: isLong(call, attributes),
    headBytes: largeHeadBytesOf(req, decision.identity.groups),
  });
  try {
    const trail = ports.audit?.begin(describeStart(call, known));
    const { requestId } = known;
    const identity = { ...decision.identity, remoteAddress: call.remoteAddress };
    return {
      is: "admitted",
      call,
      requestId,
      target,
      principal,
      attributes,
      impersonate,
      identity,
      isRecorded,
      lease,
      trail,
    };
  } catch (thrown) {
    lease?.release();
    throw thrown;
  }
}

/** 0 for a usual head, which costs no more than all else of a request. Groups become lines of the head to the cluster. */
function largeHeadBytesOf(req: IncomingMessage, groups: readonly string[]): number {
  let bytes = headBytesOf(req);
  if (groups.length > callerGroups.few) for (const group of groups) bytes += group.length;
  return bytes > usualHeadBytes ? bytes : 0;
}

type Growing = { -readonly [Key in keyof Known]: Known[Key] };

function nothingKnown({ requestId }: Call): Known {
  return { requestId, principal: undefined, attributes: undefined, impersonate: undefined };
}

function refuse(call: Call, known: Known, thrown: unknown): Admission {
  return { is: "refused", call, known, error: toFairleadError(thrown) };
}

/** Node takes a list of codings that ends in chunked for chunked. Other readers of the request may not. */
export function isOddlyEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers["transfer-encoding"];
  return encoding !== undefined && encoding.toLowerCase() !== "chunked";
}

/** Belt and braces: whatever policy says, nobody becomes the cluster's own. */
function findSystemName({ user, groups }: { user: string; groups: readonly string[] }): string | undefined {
  return isSystemName(user) ? user : groups.find(isSystemName);
}

/** It runs commands in pods by an API of its own, for a POST without any upgrade, too. */
function isKubelet({ resource, subresource, verb }: RequestAttributes): boolean {
  return resource === "nodes" && (subresource === "proxy" || verb === "proxy");
}

// Kubernetes speaks only these two. Another token (h2c, say) would tunnel past the rules of this proxy (k8s #72112).
function isSupportedUpgrade(req: IncomingMessage): boolean {
  const { upgrade, "content-length": length = "0", "transfer-encoding": encoding } = req.headers;
  return (
    upgrade !== undefined && /^(?:websocket|spdy\/3\.1)$/i.test(upgrade) && length === "0" && encoding === undefined
  );
}
