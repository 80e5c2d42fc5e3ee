import { FairleadError } from "@fairlead/kernel";
import { type ResetCode, resetCodes } from "@fairlead/protocol";
import type { ClusterAbsence } from "./ports.ts";

export function clusterUnknown(cluster: string): FairleadError {
  return new FairleadError({
    code: "PROXY_CLUSTER_UNKNOWN",
    message: `this hub has no cluster named "${cluster}"`,
    hint: "`fairlead cluster list` shows the clusters; `fairlead kubeconfig` writes contexts for them.",
    httpStatus: 404,
  });
}

export function pathUnknown(): FairleadError {
  return new FairleadError({
    code: "PROXY_PATH_INVALID",
    message: "the path doesn't name a cluster: /k8s/clusters/NAME/… with a DNS label as NAME, and no dot segments",
    hint: "Check `server` in the kubeconfig; `fairlead kubeconfig` writes a right one.",
    httpStatus: 404,
  });
}

/** A path that two readers could understand in different ways, so that one allows what the other does. */
export function pathAmbiguous(): FairleadError {
  return new FairleadError({
    code: "PROXY_PATH_INVALID",
    message: "the path can be read in more than one way: an empty or encoded segment, or bytes that aren't UTF-8",
    hint: "Kubernetes has no such paths; the parts behind a pod's or service's `/proxy/` are free.",
    httpStatus: 400,
  });
}

export function encodingUnsupported(): FairleadError {
  return new FairleadError({
    code: "PROXY_REQUEST_INVALID",
    message: "the only transfer coding that passes through the hub is chunked",
    hint: "No client of Kubernetes uses another one.",
    httpStatus: 400,
  });
}

export function accessDenied(sentence: string): FairleadError {
  return new FairleadError({
    code: "PROXY_ACCESS_DENIED",
    message: sentence,
    hint: "`fairlead access explain` says more; an admin of the hub can bind a role.",
    httpStatus: 403,
  });
}

export function impersonationInvalid(detail: string): FairleadError {
  return new FairleadError({
    code: "PROXY_IMPERSONATION_INVALID",
    message: `the request doesn't say clearly which user it acts as: ${detail}`,
    hint: "`kubectl --as` and client-go write these headers as the hub expects them.",
    httpStatus: 400,
  });
}

/** While a request ran. Before its answer it is told so; behind its beginning the connection is cut. */
export function accessEnded(httpStatus: 401 | 403, sentence: string): FairleadError {
  return new FairleadError({
    code: "PROXY_ACCESS_ENDED",
    message: sentence,
    hint: "Sign in again, or ask an admin of the hub; `fairlead whoami` says what there is.",
    httpStatus,
  });
}

export function recordingUnavailable(): FairleadError {
  return new FairleadError({
    code: "PROXY_RECORDING_UNAVAILABLE",
    message: "this session is to be recorded, and the hub can't",
    hint: "The hub's log says why; without a record the session isn't begun.",
    httpStatus: 503,
  });
}

export function agentTooOld(cluster: string): FairleadError {
  return new FairleadError({
    code: "PROXY_AGENT_TOO_OLD",
    message: `the agent of cluster "${cluster}" is too old: it would pass requests on with its own rights`,
    hint: "Bring the agent to the hub's version.",
    httpStatus: 503,
  });
}

/** Retryable while it may be a short cut that the agent is about to end; after that somebody has to look. */
export function clusterNotConnected(
  cluster: string,
  absence: ClusterAbsence,
  nowMs: number = Date.now(),
): FairleadError {
  const { state, lostMs } = absence;
  return new FairleadError({
    code: "PROXY_NOT_CONNECTED",
    message: `cluster "${cluster}" is not connected to the hub: ${describeAbsence(absence)}`,
    hint: `\`fairlead cluster show ${cluster}\` says more; look at the agent's log in that cluster.`,
    httpStatus: 503,
    retryable: state !== "revoked" && lostMs !== undefined && nowMs - lostMs < shortCutMs,
  });
}

/** Its link was cut a moment ago, and a request has waited for it in vain. */
export function clusterReturning(cluster: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_NOT_CONNECTED",
    message: `cluster "${cluster}" has lost its connection to the hub a moment ago, and isn't back yet`,
    hint: `Try again; \`fairlead cluster show ${cluster}\` says more.`,
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

function describeAbsence({ state, sinceMs }: ClusterAbsence): string {
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

export function linkBusy(cluster: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_LINK_BUSY",
    message: `the link to cluster "${cluster}" takes no more requests at the moment`,
    hint: "Try again; when it stays so, look for clients that leave many watches open.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function upgradeUnsupported(): FairleadError {
  return new FairleadError({
    code: "PROXY_UPGRADE_UNSUPPORTED",
    message: "only upgrades to websocket and SPDY/3.1 without a body pass through the hub",
    hint: "kubectl, client-go and browsers use one of them.",
    httpStatus: 400,
  });
}

export function redirectRefused(): FairleadError {
  return new FairleadError({
    code: "PROXY_REDIRECT_REFUSED",
    message: "the cluster answered an upgrade with a redirect, which the hub doesn't follow or pass on",
    hint: "Redirects of upgrades were a way around access control (CVE-2020-8559).",
    httpStatus: 502,
  });
}

export function answerInvalid(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_ANSWER_INVALID",
    message: "the cluster's answer is not valid HTTP",
    hint: "The hub's log has the details under the same request id.",
    httpStatus: 502,
    cause,
  });
}

/** A stream that was reset before an answer began, as the client should see it. */
export function streamFailed(cluster: string, code: ResetCode, cause: FairleadError): FairleadError {
  switch (code) {
    case resetCodes.deadline:
      return new FairleadError({
        code: "PROXY_DEADLINE",
        message: `the API server of cluster "${cluster}" didn't answer in time`,
        hint: "Look at the API server's load; the hub's `--head-deadline-ms` sets how long it waits.",
        httpStatus: 504,
        retryable: true,
        cause,
      });
    case resetCodes.linkLost:
    case resetCodes.goingAway:
    case resetCodes.overloaded:
      return new FairleadError({
        code: "PROXY_LINK_LOST",
        message: `the link to cluster "${cluster}" went away before the answer came`,
        hint: "The agent is reconnecting. Try again; a change may or may not have been made.",
        httpStatus: 503,
        retryable: true,
        cause,
      });
    case resetCodes.upstreamUnreachable:
      return new FairleadError({
        code: "PROXY_UPSTREAM_UNREACHABLE",
        message: `the agent of cluster "${cluster}" can't reach its API server`,
        hint: "The agent's log says why.",
        httpStatus: 502,
        retryable: true,
        cause,
      });
    case resetCodes.noError:
    case resetCodes.cancelled:
    case resetCodes.refused:
    case resetCodes.internal:
    case resetCodes.flowControl:
    case resetCodes.upstreamBroken:
    case resetCodes.protocol:
    case resetCodes.unknownTarget:
      return new FairleadError({
        code: "PROXY_UPSTREAM_FAILED",
        message: `cluster "${cluster}" broke off before its answer came: ${cause.message}`,
        hint: "The agent's log has the details under the same request id.",
        httpStatus: 502,
        cause,
      });
  }
}
