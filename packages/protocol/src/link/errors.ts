import { FairleadError } from "@fairlead/kernel";

export function linkClosed(): FairleadError {
  return new FairleadError({
    code: "LINK_CLOSED",
    message: "The link is closed.",
    hint: "The agent dials again by itself; try again in a few seconds.",
    httpStatus: 503,
    retryable: true,
  });
}

export function linkResuming(): FairleadError {
  return new FairleadError({
    code: "LINK_RESUMING",
    message: "The link has lost its connection and waits for the next one.",
    hint: "The agent dials again by itself; try again in a second.",
    httpStatus: 503,
    retryable: true,
  });
}

/** The other side no longer has what it takes to go on with the link. */
export function sessionUnknown(): FairleadError {
  return new FairleadError({
    code: "LINK_SESSION_UNKNOWN",
    message: "The hub doesn't know the link that was cut, so it can't go on.",
    hint: "The hub was restarted, or the cut took too long. The agent opens a new link by itself.",
    retryable: true,
  });
}

export function resumeForeign(): FairleadError {
  return new FairleadError({
    code: "LINK_RESUME_FOREIGN",
    message: "An agent asked to go on with the link of another.",
    hint: "No agent knows another one's session by chance. Look at who holds the certificate that was shown.",
  });
}

export function acknowledgementInvalid(number: number, lastNumber: number): FairleadError {
  return new FairleadError({
    code: "LINK_ACK_INVALID",
    message: `The peer acknowledges frame ${number}; the last one sent has number ${lastNumber}.`,
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

export function linkFlooded(perSecond: number): FairleadError {
  return new FairleadError({
    code: "LINK_FLOODED",
    message: `The peer floods the link with frames that carry nothing: more than ${perSecond} a second.`,
  });
}
