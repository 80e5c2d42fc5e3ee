// Reset codes as errors, for the handlers of a stream. Each code of the wire has one code of its own.
import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { type LinkClosed, type ResetCode, resetCodes } from "../wire/index.ts";

const table = {
  LINK_RESET_NO_ERROR: {
    message: "The other side wants no more of the stream{more}",
    httpStatus: 502,
    meaning: "The other side wants no more of a stream before it was whole.",
    remedy: "Try again; the log of the other side may say why.",
  },
  LINK_RESET_CANCELLED: {
    message: "The stream was cancelled{more}",
    httpStatus: 499,
    meaning: "The client went away.",
    remedy: "Nothing.",
  },
  LINK_RESET_REFUSED: {
    message: "The other side refused the stream{more}",
    httpStatus: 502,
    remedy: "The message says why.",
  },
  LINK_RESET_INTERNAL: {
    message: "Something unexpected went wrong with the stream{more}",
    httpStatus: 502,
    remedy: "See the log of the other side under the same request id.",
  },
  LINK_RESET_FLOW_CONTROL: {
    message: "More than allowed was sent on the stream{more}",
    httpStatus: 502,
    meaning: "More data or credit than allowed came on the stream.",
    remedy: "A bug of the peer: please report it with both versions.",
  },
  LINK_RESET_DEADLINE: {
    message: "No answer came in time{more}",
    httpStatus: 504,
    retryable: true,
    meaning: "No answer came in time, or the rest of a call didn't.",
    remedy: "Try again; look at the load of the cluster's API server.",
  },
  LINK_RESET_UPSTREAM_UNREACHABLE: {
    message: "The upstream can't be reached{more}",
    httpStatus: 502,
    retryable: true,
    meaning: "The agent can't reach its API server.",
    remedy: "Look at the agent's log and at the API server.",
  },
  LINK_RESET_UPSTREAM_BROKEN: {
    message: "The upstream's answer broke off{more}",
    httpStatus: 502,
    meaning: "The API server's answer broke off.",
    remedy: "Try again.",
  },
  LINK_RESET_GOING_AWAY: {
    message: "The other side is going away{more}",
    httpStatus: 503,
    retryable: true,
    meaning: "The stream was opened while the other side was leaving; nothing was done.",
    remedy: "Try again.",
  },
  LINK_RESET_PROTOCOL: {
    message: "The stream broke the protocol{more}",
    httpStatus: 502,
    meaning: "A head or frame broke the stream's rules.",
    remedy: "A bug of the peer: please report it with both versions.",
  },
  LINK_RESET_LINK_LOST: {
    message: "The link was lost{more}",
    httpStatus: 502,
    meaning: "The link ended before the stream was whole.",
    remedy: "Try again; a change may have been made.",
  },
  LINK_RESET_UNKNOWN_TARGET: {
    message: "The other side doesn't serve this target{more}",
    httpStatus: 501,
    meaning: "The other side doesn't know what the stream is for.",
    remedy: "Upgrade the older of hub and agent.",
  },
  LINK_RESET_OVERLOADED: {
    message: "The other side is overloaded{more}",
    httpStatus: 503,
    retryable: true,
    meaning: "The other side has too many streams, or no memory left for data in flight.",
    remedy: "Try again later.",
  },
} as const;

const resetErrors: Errors<typeof table> = defineErrors(table);

/** The error that a stream's handlers get for a reset code, whichever side sent it. `text` is safe to show. */
export function streamReset(code: ResetCode, text = "", cause?: unknown): FairleadError {
  const more = text === "" ? "." : `: ${text}`;
  return resetErrors[byCode[code]]({ more, cause });
}

/** The text that the sender of a reset added to its code, or an empty one. Relays pass it on. */
export function resetTextOf({ message }: FairleadError): string {
  const at = message.indexOf(": ");
  return at < 0 ? "" : message.slice(at + 2);
}

/** Each stream of a link that ended gets this error. */
export function linkLost(closed: LinkClosed): FairleadError {
  return streamReset(resetCodes.linkLost, lostBecause(closed));
}

function lostBecause(closed: LinkClosed): string {
  switch (closed.reason) {
    case "closed-by-us":
      return "closed by this side";
    case "closed-by-peer":
      return "closed by the other side";
    case "dead-peer":
      return "the other side fell silent";
    case "violation":
    case "socket-error":
      return closed.error.message;
  }
}

const byCode: Readonly<Record<ResetCode, keyof typeof table>> = {
  [resetCodes.noError]: "LINK_RESET_NO_ERROR",
  [resetCodes.cancelled]: "LINK_RESET_CANCELLED",
  [resetCodes.refused]: "LINK_RESET_REFUSED",
  [resetCodes.internal]: "LINK_RESET_INTERNAL",
  [resetCodes.flowControl]: "LINK_RESET_FLOW_CONTROL",
  [resetCodes.deadline]: "LINK_RESET_DEADLINE",
  [resetCodes.upstreamUnreachable]: "LINK_RESET_UPSTREAM_UNREACHABLE",
  [resetCodes.upstreamBroken]: "LINK_RESET_UPSTREAM_BROKEN",
  [resetCodes.goingAway]: "LINK_RESET_GOING_AWAY",
  [resetCodes.protocol]: "LINK_RESET_PROTOCOL",
  [resetCodes.linkLost]: "LINK_RESET_LINK_LOST",
  [resetCodes.unknownTarget]: "LINK_RESET_UNKNOWN_TARGET",
  [resetCodes.overloaded]: "LINK_RESET_OVERLOADED",
};
