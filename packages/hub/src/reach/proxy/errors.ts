import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { type ResetCode, resetCodes } from "@fairlead/protocol";
import type { Absence } from "../clusters/index.ts";

const table = {
  PROXY_CLUSTER_UNKNOWN: {
    httpStatus: 404,
    message: 'this hub has no cluster named "{cluster}"',
    hint: "`fairlead cluster list` shows the clusters; `fairlead kubeconfig` writes contexts for them.",
    meaning: "A request for a cluster's API names a cluster that the hub doesn't have.",
    remedy: "`fairlead cluster list` shows the names; write the kubeconfig again.",
  },
  PROXY_PATH_INVALID: {
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "The path under /k8s/clusters/ doesn't begin with a cluster's name (a DNS label), or has dot segments (404); or the rest can be read in more than one way (400).",
    remedy: "Correct `server` in the kubeconfig.",
  },
  PROXY_REQUEST_INVALID: {
    httpStatus: 400,
    message: "the only transfer coding that passes through the hub is chunked",
    hint: "No client of Kubernetes uses another one.",
  },
  PROXY_ACCESS_DENIED: {
    httpStatus: 403,
    message: "{sentence}",
    hint: "`fairlead access explain` says more; an admin of the hub can bind a role.",
    meaning: "The hub's policy doesn't allow this caller the request. The message says who, what and why.",
    remedy: "`fairlead access explain` says more; ask an admin for a role on the cluster.",
  },
  PROXY_IMPERSONATION_INVALID: {
    httpStatus: 400,
    message: "the request doesn't say clearly which user it acts as: {detail}",
    hint: "`kubectl --as` and client-go write these headers as the hub expects them.",
    meaning: "`Impersonate-*` headers are doubled, oddly spelled, empty, unknown, or lack a user.",
  },
  PROXY_ACCESS_ENDED: {
    message: "{sentence}",
    hint: "Sign in again, or ask an admin of the hub; `fairlead whoami` says what there is.",
    meaning:
      "While a request ran its caller signed out, was removed, or lost the right to it: 401 or 403 before its answer began, a cut connection behind that.",
    remedy: "Sign in again; `fairlead whoami` shows what there is.",
  },
  PROXY_RECORDING_UNAVAILABLE: {
    httpStatus: 503,
    message: "this session has to be recorded, and the hub can't record it",
    hint: "The hub's log says why. The session doesn't begin without a record.",
  },
  PROXY_AGENT_TOO_OLD: {
    httpStatus: 503,
    message: 'the agent of cluster "{cluster}" is too old: it would pass requests on with its own rights',
    hint: "Bring the agent to the hub's version.",
    meaning: "The cluster's agent doesn't say that it impersonates, so every request would have its own rights.",
  },
  PROXY_GROUPS_TOO_MANY: {
    httpStatus: 403,
    message: 'you have {count} groups, and the agent of cluster "{cluster}" takes a caller with {most} at most',
    hint: "Bring the agent to the hub's version, or let the identity provider name fewer groups.",
    meaning:
      "The caller has more groups than the cluster's agent takes: 20,000, and 1,000 or 6,000 where it is of an older version.",
  },
  PROXY_ARGO_UNBOUNDED: {
    httpStatus: 503,
    message: 'the agent of cluster "{cluster}" is too old: it would let Argo CD reach more than it tracks',
    hint: "Bring the agent to the hub's version.",
    meaning: "Argo CD on the hub asks for something in a cluster whose agent can't limit it to tracked resources.",
  },
  PROXY_NOT_CONNECTED: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "The cluster is known, but no agent of it is connected with the role proxy. The message says whether it never was, or since when it is offline. For 30 s after a link was lost `Retry-After` is one second, and clients of Kubernetes wait; later it is a date, and they give up at once.",
    remedy: "`fairlead cluster get NAME`, then the agent's log.",
  },
  PROXY_LINK_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: 'the link to cluster "{cluster}" takes no more requests at the moment',
    hint: "Try again; when it stays so, look for clients that leave many watches open.",
    meaning: "The link has no room for another stream (503, retried by clients).",
  },
  PROXY_UPGRADE_UNSUPPORTED: {
    httpStatus: 400,
    message: "only upgrades to websocket and SPDY/3.1 without a body pass through the hub",
    hint: "kubectl, client-go and browsers use one of them.",
    remedy: "Use kubectl or a Kubernetes client library.",
  },
  PROXY_REDIRECT_REFUSED: {
    httpStatus: 502,
    message: "the cluster answered an upgrade with a redirect, which the hub doesn't follow or pass on",
    hint: "Redirects of upgrades were a way around access control (CVE-2020-8559).",
    remedy: "Look at the aggregated API or the kubelet that redirects; Kubernetes itself never does.",
  },
  PROXY_ANSWER_INVALID: {
    httpStatus: 502,
    message: "the cluster's answer is not valid HTTP",
    hint: "The hub's log has the details under the same request id.",
    meaning: "The answer can't be sent on as HTTP, or is shorter or longer than announced (502, or a cut connection).",
    remedy: "Look for what answers in the API server's place.",
  },
  PROXY_DEADLINE: {
    httpStatus: 504,
    retryable: true,
    message: `the API server of cluster "{cluster}" didn't answer in time`,
    hint: "Look at the API server's load; the hub's `--head-deadline` sets how long it waits.",
    meaning: "The cluster's answer didn't begin in time.",
  },
  PROXY_LINK_LOST: {
    httpStatus: 503,
    retryable: true,
    message: 'the link to cluster "{cluster}" went away before the answer came',
    hint: "The agent is reconnecting. Try again; a change may or may not have been made.",
    meaning: "The link ended before the cluster's answer began. The request may have been carried out.",
    remedy: "Try again when the agent is back, a second or two later.",
  },
  PROXY_UPSTREAM_UNREACHABLE: {
    httpStatus: 502,
    retryable: true,
    message: `the agent of cluster "{cluster}" can't reach its API server`,
    hint: "The agent's log says why.",
  },
  PROXY_UPSTREAM_FAILED: {
    httpStatus: 502,
    message: 'cluster "{cluster}" broke off before its answer came: {reason}',
    hint: "The agent's log has the details under the same request id.",
    meaning: "The agent broke the request off before an answer began.",
  },
  PROXY_CLIENT_GONE: {
    httpStatus: 499,
    message: "the client hung up before the answer was whole",
    meaning: "The client hung up before its answer was whole; only counted in metrics.",
    remedy: "Nothing.",
  },
  PROXY_WATCH_LOST: {
    httpStatus: 504,
    retryable: true,
    message: 'the watch in cluster "{cluster}" can\'t go on: {reason}',
    hint: "Watch again; clients of Kubernetes do so by themselves.",
    meaning:
      "A watch's link or API server went away between two events; the watch's last event, of type ERROR, says so.",
    remedy: "Nothing: clients list and watch again. If it happens often, look at the cluster's link.",
  },
  PROXY_WATCH_ENDED: {
    httpStatus: 503,
    retryable: true,
    message: "the hub is stopping and ends its watches",
    hint: "Watch again; clients of Kubernetes do so by themselves.",
    meaning:
      "The hub stopped before a watch began (503), between its events (the last one, of type ERROR, says so) or within one (the connection is cut).",
    remedy: "Nothing: clients watch again.",
  },
} as const;

export const proxyErrors: Errors<typeof table> = defineErrors(table);

export function pathUnknown(): FairleadError {
  return proxyErrors.PROXY_PATH_INVALID({
    detail: "the path doesn't name a cluster: /k8s/clusters/NAME/… with a DNS label as NAME, and no dot segments",
    advice: "Check `server` in the kubeconfig; `fairlead kubeconfig` writes a right one.",
    httpStatus: 404,
  });
}

/** Two readers could understand the path in different ways, so that one allows what the other does. */
export function pathAmbiguous(): FairleadError {
  return proxyErrors.PROXY_PATH_INVALID({
    detail: "the path can be read in more than one way: an empty or encoded segment, or bytes that aren't UTF-8",
    advice: "Kubernetes has no such paths; the parts behind a pod's or service's `/proxy/` are free.",
    httpStatus: 400,
  });
}

/** The request was running. Before its answer the client is told so; after the beginning of one the connection is cut. */
export function accessEnded(httpStatus: 401 | 403, sentence: string): FairleadError {
  return proxyErrors.PROXY_ACCESS_ENDED({ sentence, httpStatus });
}

/** Retryable while it may be a short cut that the agent is about to end; after that somebody has to look. */
export function clusterNotConnected(cluster: string, absence: Absence, nowMs: number = Date.now()): FairleadError {
  const { state, lostMs } = absence;
  return proxyErrors.PROXY_NOT_CONNECTED({
    detail: `cluster "${cluster}" is not connected to the hub: ${describeAbsence(absence)}`,
    advice: `\`fairlead cluster get ${cluster}\` says more; look at the agent's log in that cluster.`,
    retryable: state !== "revoked" && lostMs !== undefined && nowMs - lostMs < shortCutMs,
  });
}

/** The cluster's link was cut a moment ago, and a request has waited for it in vain. */
export function clusterReturning(cluster: string, cause: unknown): FairleadError {
  return proxyErrors.PROXY_NOT_CONNECTED({
    detail: `cluster "${cluster}" has lost its connection to the hub a moment ago, and isn't back yet`,
    advice: `Try again; \`fairlead cluster get ${cluster}\` says more.`,
    retryable: true,
    cause,
  });
}

function describeAbsence({ state, sinceMs }: Absence): string {
  const since = `${new Date(sinceMs).toISOString().slice(0, 19)}Z`;
  switch (state) {
    case "never-connected":
      return "its agent has never connected";
    case "connected":
      return "an agent is there, but none that serves the cluster's API (role proxy)";
    case "offline":
      return `it has been offline since ${since}`;
    case "revoked":
      return `it was revoked at ${since} and needs a new join token`;
  }
}

const shortCutMs = 30_000;

/** The client's view of a stream that was reset before an answer began. */
export function streamFailed(cluster: string, code: ResetCode, cause: FairleadError): FairleadError {
  switch (code) {
    case resetCodes.deadline:
      return proxyErrors.PROXY_DEADLINE({ cluster, cause });
    case resetCodes.linkLost:
    case resetCodes.goingAway:
    case resetCodes.overloaded:
      return proxyErrors.PROXY_LINK_LOST({ cluster, cause });
    case resetCodes.upstreamUnreachable:
      return proxyErrors.PROXY_UPSTREAM_UNREACHABLE({ cluster, cause });
    case resetCodes.noError:
    case resetCodes.cancelled:
    case resetCodes.refused:
    case resetCodes.internal:
    case resetCodes.flowControl:
    case resetCodes.upstreamBroken:
    case resetCodes.protocol:
    case resetCodes.unknownTarget:
      return proxyErrors.PROXY_UPSTREAM_FAILED({ cluster, reason: cause.message, cause });
  }
}
