// Who asks, for what, and whether they may: all that is decided before a byte goes to a cluster. It runs for every
// request, so it waits for nothing unless the sign-in must be looked up.
import type { IncomingMessage } from "node:http";
import { isSystemName } from "@fairlead/kernel";
import { type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { type AdmittedCall, type Call, describeStart, isLong, isRecordable } from "./call.ts";
import { describeDenial } from "./denial.ts";
import {
  accessDenied,
  clusterUnknown,
  encodingUnsupported,
  pathAmbiguous,
  pathUnknown,
  upgradeUnsupported,
} from "./errors.ts";
import { readImpersonation } from "./impersonation.ts";
import type { Caller, ProxyPorts } from "./ports.ts";
import { readRequestId } from "./request-id.ts";

export function admit(options: {
  readonly call: Call;
  readonly authorization: string | undefined;
  readonly ports: ProxyPorts;
  readonly proceed: (call: AdmittedCall) => void;
  readonly refuse: (thrown: unknown) => void;
}): void {
  const { call, authorization, ports, proceed, refuse } = options;
  // Synchronous whenever the answer is: a promise for each request would cost more than the look-up.
  let pending: Caller | Promise<Caller>;
  try {
    pending = ports.access.authenticate(authorization);
  } catch (thrown) {
    refuse(thrown);
    return;
  }
  if (pending instanceof Promise) void pending.then(enter).catch(refuse);
  else enter(pending);

  function enter(principal: Caller): void {
    let admitted: AdmittedCall;
    try {
      admitted = decide(call, principal, ports);
    } catch (thrown) {
      refuse(thrown);
      return;
    }
    proceed(admitted);
  }
}

/** Fills in the call, and throws what its client is told when it can't go on. */
function decide(call: Call, principal: Caller, ports: ProxyPorts): AdmittedCall {
  const { req, target } = call;
  call.principal = principal;
  if (isOddlyEncoded(req)) throw encodingUnsupported();
  if (!target) throw pathUnknown();
  const { cluster, path } = target;
  const attributes = readRequestAttributes({ method: req.method ?? "GET", path, upgrade: call.isUpgrade });
  if (!attributes) throw pathAmbiguous();
  call.attributes = attributes;
  if (call.isUpgrade && !isSupportedUpgrade(req)) throw upgradeUnsupported();
  const impersonate = readImpersonation(req.rawHeaders);
  call.impersonate = impersonate;
  const decision = ports.access.authorize({
    principal,
    cluster,
    attributes,
    ...(impersonate === undefined ? {} : { impersonate }),
  });
  const deny = (reason: string): never => {
    throw accessDenied(describeDenial({ principal, cluster, attributes, reason }));
  };
  if (!decision.allowed) return deny(decision.reason);
  const system = findSystemName(decision.identity);
  if (system !== undefined) return deny(`nobody acts as "${system}" through a hub`);
  if (decision.record && isKubelet(attributes))
    return deny("what a kubelet runs when it is asked itself isn't recorded");
  // Only now: whoever has no right on a cluster can't find out that it exists.
  if (!ports.exists(cluster)) throw clusterUnknown(cluster);
  call.identity = { ...decision.identity, remoteAddress: call.remoteAddress };
  call.isRecorded = decision.record && isRecordable(call);
  // Of two recordings by one id the later one would hide the other.
  if (call.isRecorded) call.requestId = readRequestId(undefined);
  call.lease = ports.limits?.admit({ principal: principal.name, cluster, isLong: isLong(call) });
  call.trail = ports.audit?.begin(describeStart(call));
  return call as AdmittedCall;
}

/** Node takes a list of codings that ends in chunked for chunked; what else reads the request may not. */
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

// Only the two that Kubernetes speaks: any other token (h2c, say) would tunnel past the rules of this proxy (k8s #72112).
function isSupportedUpgrade(req: IncomingMessage): boolean {
  const { upgrade, "content-length": length = "0", "transfer-encoding": encoding } = req.headers;
  return (
    upgrade !== undefined && /^(?:websocket|spdy\/3\.1)$/i.test(upgrade) && length === "0" && encoding === undefined
  );
}
