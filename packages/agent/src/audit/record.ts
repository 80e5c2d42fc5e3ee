import type { RequestAttributes } from "@fairlead/kube";
import { type OpenHead, toLoggablePath } from "@fairlead/protocol";

/** Members that say nothing are left out of the line. */
export interface RequestRecord {
  readonly level: "info";
  readonly time: string;
  readonly component: "agent/audit";
  readonly msg: string;
  /** Tells these lines from those of the log. */
  readonly audit: true;
  readonly phase: "start" | "end";
  readonly requestId: string;
  readonly cluster: string | undefined;
  /** The user that the API server was told. */
  readonly user: string | undefined;
  readonly uid: string | undefined;
  readonly groups: readonly string[] | undefined;
  /** The person who had signed in, when they acted as another. */
  readonly actor: string | undefined;
  /** Where the request reached the hub from. */
  readonly from: string | undefined;
  readonly method: string;
  readonly verb: string | undefined;
  readonly apiGroup: string | undefined;
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly path: string;
  readonly isUpgrade: boolean;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly reason: string | undefined;
  /** The rule of the agent's policy that refused it. */
  readonly rule: string | undefined;
  readonly bytesToCluster: number | undefined;
  readonly bytesFromCluster: number | undefined;
  readonly durationMs: number | undefined;
}

export function describeRequest(options: {
  readonly phase: "start" | "end";
  readonly time: string;
  readonly cluster: string | undefined;
  readonly open: OpenHead;
  readonly attributes: RequestAttributes | undefined;
  readonly outcome: Partial<RequestRecord>;
}): RequestRecord {
  const { phase, time, cluster, open, attributes, outcome } = options;
  const { identity } = open;
  return {
    level: "info",
    time,
    component: "agent/audit",
    msg: phase === "start" ? "request began" : "request ended",
    audit: true,
    phase,
    requestId: open.requestId,
    cluster,
    user: identity?.user,
    uid: identity?.uid,
    groups: clip(identity?.groups),
    actor: identity?.actor,
    from: identity?.remoteAddress,
    method: open.method,
    verb: attributes?.verb,
    apiGroup: some(attributes?.apiGroup),
    resource: some(attributes?.resource),
    subresource: some(attributes?.subresource),
    namespace: some(attributes?.namespace),
    name: some(attributes?.name),
    path: toLoggablePath(open.path).slice(0, maxPathLength),
    isUpgrade: open.upgrade,
    status: outcome.status,
    code: outcome.code,
    reason: outcome.reason,
    rule: outcome.rule,
    bytesToCluster: outcome.bytesToCluster,
    bytesFromCluster: outcome.bytesFromCluster,
    durationMs: outcome.durationMs,
  };
}

function clip(groups: readonly string[] | undefined): readonly string[] | undefined {
  return groups && groups.length > maxGroups ? groups.slice(0, maxGroups) : groups;
}

function some(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

const maxGroups = 50;
const maxPathLength = 2_048;
