import { Code, ConnectError } from "@connectrpc/connect";
import { defineErrors, type Errors, isFairleadError } from "@fairlead/kernel";

/** A link's error as a typed call's error; the cause keeps the code, and never crosses the wire. */
export function toConnectError(thrown: unknown): ConnectError {
  if (!isFairleadError(thrown)) return ConnectError.from(thrown);
  return new ConnectError(thrown.message, codes[thrown.code] ?? Code.Unavailable, undefined, undefined, thrown);
}

const table = {
  LINK_TARGET_NOT_SERVED: {
    httpStatus: 501,
    message: 'This side of the link doesn\'t serve streams for "{target}".',
    meaning: "The hub or the agent received a stream for a target that it doesn't serve.",
    remedy: "Upgrade the older of hub and agent.",
  },
} as const;

export const rpcErrors: Errors<typeof table> = defineErrors(table);

/** Any other code is a link that isn't there: unavailable. */
const codes: Readonly<Record<string, Code>> = {
  LINK_RESET_CANCELLED: Code.Canceled,
  LINK_RESET_NO_ERROR: Code.Canceled,
  LINK_RESET_DEADLINE: Code.DeadlineExceeded,
  LINK_RESET_REFUSED: Code.FailedPrecondition,
  LINK_RESET_UNKNOWN_TARGET: Code.Unimplemented,
  LINK_RESET_OVERLOADED: Code.ResourceExhausted,
  LINK_RESET_INTERNAL: Code.Internal,
  LINK_RESET_PROTOCOL: Code.Internal,
  LINK_RESET_FLOW_CONTROL: Code.Internal,
  LINK_HEAD_TOO_LARGE: Code.ResourceExhausted,
  LINK_OVERLOADED: Code.ResourceExhausted,
  LINK_TOO_MANY_STREAMS: Code.ResourceExhausted,
};
