import { FairleadError } from "@fairlead/kernel";
import { type LinkClosed, type ResetCode, resetCodes } from "./types.ts";

export function linkClosed(): FairleadError {
  return new FairleadError({
    code: "LINK_CLOSED",
    message: "The link is closed.",
    hint: "The agent dials again by itself; try again in a few seconds.",
    httpStatus: 503,
    retryable: true,
  });
}

export function linkGoingAway(): FairleadError {
  return new FairleadError({
    code: "LINK_GOING_AWAY",
    message: "The link takes no new streams because one side is going away.",
    hint: "Use another link of the same cluster, or wait for the next.",
    httpStatus: 503,
    retryable: true,
  });
}

export function tooManyStreams(limit: number): FairleadError {
  return new FairleadError({
    code: "LINK_TOO_MANY_STREAMS",
    message: `The link already carries ${limit} streams, which is its limit.`,
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
  });
}

export function linkOverloaded(): FairleadError {
  return new FairleadError({
    code: "LINK_OVERLOADED",
    message: "All memory for data in flight is in use by readers that don't take their data.",
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
  });
}

export function headTooLarge(sizeBytes: number, limitBytes: number): FairleadError {
  return new FairleadError({
    code: "LINK_HEAD_TOO_LARGE",
    message: `The request line and headers take ${sizeBytes} bytes; a link carries ${limitBytes}.`,
    hint: "Send fewer or shorter headers.",
    httpStatus: 431,
  });
}

/** A call that the stream's state doesn't allow: a bug of ours, never the peer's doing. */
export function streamMisuse(text: string): FairleadError {
  return new FairleadError({ code: "LINK_STREAM_MISUSE", message: text });
}

/** The frame can't be read; the sender doesn't speak our protocol, so the link ends. */
export function frameTruncated(sizeBytes: number): FairleadError {
  return new FairleadError({ code: "LINK_FRAME_TRUNCATED", message: `A frame of ${sizeBytes} bytes is too short.` });
}

export function frameTooLarge(sizeBytes: number, limitBytes: number): FairleadError {
  return new FairleadError({
    code: "LINK_FRAME_TOO_LARGE",
    message: `A frame of ${sizeBytes} bytes is over the limit of ${limitBytes}.`,
  });
}

export function frameInvalid(text: string): FairleadError {
  return new FairleadError({ code: "LINK_FRAME_INVALID", message: `A frame is malformed: ${text}.` });
}

export function unknownStream(id: number): FairleadError {
  return new FairleadError({
    code: "LINK_UNKNOWN_STREAM",
    message: `The peer sent a frame for stream ${id}, which nobody opened, or opened it out of order.`,
  });
}

export function creditExceeded(times: number): FairleadError {
  return new FairleadError({
    code: "LINK_CREDIT_EXCEEDED",
    message: `The peer sent more than it was allowed to on ${times} streams.`,
  });
}

export function peerNotReading(bufferedBytes: number): FairleadError {
  return new FairleadError({
    code: "LINK_PEER_NOT_READING",
    message: `The peer leaves ${bufferedBytes} bytes of answers unread.`,
  });
}

export function noCommonVersion(theirs: readonly number[]): FairleadError {
  return new FairleadError({
    code: "LINK_NO_COMMON_VERSION",
    message: `The peer speaks link protocol versions ${theirs.join(", ") || "unknown"}; none of them is ours.`,
    hint: "Upgrade the older of hub and agent; they work together two minor versions apart.",
  });
}

export function socketFailed(cause: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_SOCKET_FAILED",
    message: "The connection under the link broke.",
    retryable: true,
    cause,
  });
}

/** What a stream's handlers get for each reset code, whichever side sent it. */
export function streamReset(code: ResetCode, text?: string, cause?: unknown): FairleadError {
  const [errorCode, message, httpStatus, retryable] = resetErrors[code];
  return new FairleadError({
    code: errorCode,
    message: text ? `${message}: ${text}` : `${message}.`,
    httpStatus,
    retryable,
    cause,
  });
}

/** For every stream of a link that ended. */
export function linkLost(closed: LinkClosed): FairleadError {
  return streamReset(resetCodes.linkLost, lostBecause(closed));
}

/** Codes of newer peers mean nothing to us but that the stream is over. */
export function knownResetCode(code: number): ResetCode {
  return knownCodes.has(code) ? (code as ResetCode) : resetCodes.internal;
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

const knownCodes: ReadonlySet<number> = new Set(Object.values(resetCodes));

const resetErrors: Readonly<
  Record<ResetCode, readonly [code: string, message: string, status: number, retry: boolean]>
> = {
  [resetCodes.noError]: ["LINK_RESET_NO_ERROR", "The other side wants no more of the stream", 502, false],
  [resetCodes.cancelled]: ["LINK_RESET_CANCELLED", "The stream was cancelled", 499, false],
  [resetCodes.refused]: ["LINK_RESET_REFUSED", "The other side refused the stream", 502, false],
  [resetCodes.internal]: ["LINK_RESET_INTERNAL", "Something unexpected went wrong with the stream", 502, false],
  [resetCodes.flowControl]: ["LINK_RESET_FLOW_CONTROL", "More data than allowed was sent on the stream", 502, false],
  [resetCodes.deadline]: ["LINK_RESET_DEADLINE", "No answer came in time", 504, true],
  [resetCodes.upstreamUnreachable]: ["LINK_RESET_UPSTREAM_UNREACHABLE", "The upstream can't be reached", 502, true],
  [resetCodes.upstreamBroken]: ["LINK_RESET_UPSTREAM_BROKEN", "The upstream's answer broke off", 502, false],
  [resetCodes.goingAway]: ["LINK_RESET_GOING_AWAY", "The other side is going away", 503, true],
  [resetCodes.protocol]: ["LINK_RESET_PROTOCOL", "The stream broke the protocol", 502, false],
  [resetCodes.linkLost]: ["LINK_RESET_LINK_LOST", "The link was lost", 502, false],
  [resetCodes.unknownTarget]: ["LINK_RESET_UNKNOWN_TARGET", "The other side doesn't serve this target", 501, false],
  [resetCodes.overloaded]: ["LINK_RESET_OVERLOADED", "The other side is overloaded", 503, true],
};
