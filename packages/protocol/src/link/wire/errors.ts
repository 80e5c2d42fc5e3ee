import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_HEAD_TOO_LARGE: {
    message: "The request line and headers take {sizeBytes} bytes as JSON; this link carries {limitBytes}.",
    hint: "Send fewer or shorter headers.",
    httpStatus: 431,
    meaning:
      "Request line and headers, or an answer's headers, are larger than the other side takes: 1.5 MiB as JSON, 192 KiB where it is of an older version.",
    remedy: "Send fewer or shorter headers; bring agents and other hubs to the hub's version.",
  },
  /** The frame can't be read; the sender doesn't speak our protocol, so the link ends. */
  LINK_FRAME_TRUNCATED: {
    message: "A frame of {sizeBytes} bytes is too short.",
    meaning: "The peer sent a frame that is too short. The link is closed.",
    remedy: "Something between hub and agent changes the traffic, or the peer isn't one of ours.",
  },
  LINK_FRAME_TOO_LARGE: {
    message: "A frame of {sizeBytes} bytes is over the limit of {limitBytes}.",
    meaning: "The peer sent a frame over 256 KiB, or data over 64 KiB. The link is closed.",
    remedy: "As above.",
  },
  LINK_FRAME_INVALID: {
    message: "A frame is malformed: {text}.",
    meaning: "The peer sent a frame that can't be read, or a text message; or a stream's head is malformed.",
    remedy: "As above.",
  },
  LINK_SOCKET_FAILED: {
    message: "The connection under the link broke.",
    retryable: true,
    remedy:
      "Nothing, unless it goes on: the agent dials again by itself. Then look at load balancers and their idle timeouts.",
  },
} as const;

/** Frames that can't be read or sent, and connections that break. */
export const wireErrors: Errors<typeof table> = defineErrors(table);
