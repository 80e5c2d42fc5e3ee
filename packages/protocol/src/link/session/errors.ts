import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_CLOSED: {
    message: "The link is closed.",
    hint: "The agent dials again by itself; try again in a few seconds.",
    httpStatus: 503,
    retryable: true,
    meaning: "A stream was opened, or a ping sent, on a link that has ended.",
  },
  LINK_RESUMING: {
    message: "The link has lost its connection and waits for the next one.",
    hint: "The agent dials again by itself; try again in a second.",
    httpStatus: 503,
    retryable: true,
    meaning: "A stream was opened on a link whose connection is lost and not yet replaced.",
    remedy: "Try again in a second; the hub does so by itself for a few.",
  },
  LINK_GOING_AWAY: {
    message: "The link takes no new streams because one side is going away.",
    hint: "Use another link of the same cluster, or wait for the next.",
    httpStatus: 503,
    retryable: true,
    meaning: "A stream was opened after GOAWAY, or after a link used up its stream ids.",
  },
  LINK_TOO_MANY_STREAMS: {
    message: "The link already carries {limit} streams, which is its limit.",
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
    meaning: "The peer's limit of open streams on one link is reached.",
    remedy: "Try again when some requests have ended; look for clients that leave requests open.",
  },
  LINK_OVERLOADED: {
    message: "All memory for data in flight is in use by readers that don't take their data.",
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
    remedy: "Try again later; look for clients that stopped reading.",
  },
  LINK_UNKNOWN_STREAM: {
    message: "The peer sent a frame for stream {id}, which nobody opened, or opened it out of order.",
    meaning:
      "The peer sent a frame for a stream that was never opened, or opened one out of order. The link is closed.",
    remedy: "A bug of the peer: please report it with both versions.",
  },
  LINK_CREDIT_EXCEEDED: {
    message: "The peer sent more than it was allowed to on {times} streams.",
    meaning: "The peer went on sending more data than it was allowed to. The link is closed.",
    remedy: "A bug of the peer: please report it with both versions.",
  },
  LINK_PEER_NOT_READING: {
    message: "The peer leaves {bufferedBytes} bytes of answers unread.",
    meaning:
      "The peer asks and leaves over 32 MiB of answers unread, or unacknowledged beyond what is allowed. The link is closed.",
    remedy: "Look at the peer's load.",
  },
  LINK_NO_COMMON_VERSION: {
    message: "The peer speaks link protocol versions {versions}; none of them is ours.",
    hint: "Upgrade the older of hub and agent; they work together two minor versions apart.",
    meaning: "Hub and agent have no version of the link protocol in common.",
  },
  LINK_FLOODED: {
    message: "The peer floods the link with frames that carry nothing: more than {perSecond} a second.",
    meaning: "The peer went on sending frames that carry nothing for anybody, such as pings. The link is closed.",
    remedy: "An agent of Fairlead doesn't: look at who holds the cluster's certificate.",
  },
} as const;

/** The reasons why a link takes no stream, or ends. */
export const sessionErrors: Errors<typeof table> = defineErrors(table);
