import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_CLOSED: {
    message: "The link is closed.",
    hint: "The agent dials again by itself; try again in a few seconds.",
    httpStatus: 503,
    retryable: true,
  },
  LINK_RESUMING: {
    message: "The link has lost its connection and waits for the next one.",
    hint: "The agent dials again by itself; try again in a second.",
    httpStatus: 503,
    retryable: true,
  },
  LINK_GOING_AWAY: {
    message: "The link takes no new streams because one side is going away.",
    hint: "Use another link of the same cluster, or wait for the next.",
    httpStatus: 503,
    retryable: true,
  },
  LINK_TOO_MANY_STREAMS: {
    message: "The link already carries {limit} streams, which is its limit.",
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
  },
  LINK_OVERLOADED: {
    message: "All memory for data in flight is in use by readers that don't take their data.",
    hint: "Try again when some requests have ended.",
    httpStatus: 503,
    retryable: true,
  },
  LINK_UNKNOWN_STREAM: {
    message: "The peer sent a frame for stream {id}, which nobody opened, or opened it out of order.",
  },
  LINK_CREDIT_EXCEEDED: { message: "The peer sent more than it was allowed to on {times} streams." },
  LINK_PEER_NOT_READING: { message: "The peer leaves {bufferedBytes} bytes of answers unread." },
  LINK_NO_COMMON_VERSION: {
    message: "The peer speaks link protocol versions {versions}; none of them is ours.",
    hint: "Upgrade the older of hub and agent; they work together two minor versions apart.",
  },
  LINK_FLOODED: { message: "The peer floods the link with frames that carry nothing: more than {perSecond} a second." },
} as const;

/** The reasons why a link takes no stream, or ends. */
export const sessionErrors: Errors<typeof table> = defineErrors(table);
