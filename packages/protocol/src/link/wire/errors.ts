import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_HEAD_TOO_LARGE: {
    message: "The request line and headers take {sizeBytes} bytes; a link carries {limitBytes}.",
    hint: "Send fewer or shorter headers.",
    httpStatus: 431,
  },
  /** The frame can't be read; the sender doesn't speak our protocol, so the link ends. */
  LINK_FRAME_TRUNCATED: { message: "A frame of {sizeBytes} bytes is too short." },
  LINK_FRAME_TOO_LARGE: { message: "A frame of {sizeBytes} bytes is over the limit of {limitBytes}." },
  LINK_FRAME_INVALID: { message: "A frame is malformed: {text}." },
  LINK_SOCKET_FAILED: { message: "The connection under the link broke.", retryable: true },
} as const;

/** Frames that can't be read or sent, and connections that break. */
export const wireErrors: Errors<typeof table> = defineErrors(table);
