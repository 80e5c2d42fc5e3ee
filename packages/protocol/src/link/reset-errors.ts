// Reset codes as errors, for the handlers of a stream. Each code of the wire has one code of its own.
import { FairleadError } from "@fairlead/kernel";
import { type LinkClosed, type ResetCode, resetCodes } from "./types.ts";

/** What a stream's handlers get for each reset code, whichever side sent it. `text` is safe to show. */
export function streamReset(code: ResetCode, text = "", cause?: unknown): FairleadError {
  switch (code) {
    case resetCodes.noError:
      return new FairleadError({
        code: "LINK_RESET_NO_ERROR",
        message: say("The other side wants no more of the stream", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.cancelled:
      return new FairleadError({
        code: "LINK_RESET_CANCELLED",
        message: say("The stream was cancelled", text),
        httpStatus: 499,
        cause,
      });
    case resetCodes.refused:
      return new FairleadError({
        code: "LINK_RESET_REFUSED",
        message: say("The other side refused the stream", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.internal:
      return new FairleadError({
        code: "LINK_RESET_INTERNAL",
        message: say("Something unexpected went wrong with the stream", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.flowControl:
      return new FairleadError({
        code: "LINK_RESET_FLOW_CONTROL",
        message: say("More than allowed was sent on the stream", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.deadline:
      return new FairleadError({
        code: "LINK_RESET_DEADLINE",
        message: say("No answer came in time", text),
        httpStatus: 504,
        retryable: true,
        cause,
      });
    case resetCodes.upstreamUnreachable:
      return new FairleadError({
        code: "LINK_RESET_UPSTREAM_UNREACHABLE",
        message: say("The upstream can't be reached", text),
        httpStatus: 502,
        retryable: true,
        cause,
      });
    case resetCodes.upstreamBroken:
      return new FairleadError({
        code: "LINK_RESET_UPSTREAM_BROKEN",
        message: say("The upstream's answer broke off", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.goingAway:
      return new FairleadError({
        code: "LINK_RESET_GOING_AWAY",
        message: say("The other side is going away", text),
        httpStatus: 503,
        retryable: true,
        cause,
      });
    case resetCodes.protocol:
      return new FairleadError({
        code: "LINK_RESET_PROTOCOL",
        message: say("The stream broke the protocol", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.linkLost:
      return new FairleadError({
        code: "LINK_RESET_LINK_LOST",
        message: say("The link was lost", text),
        httpStatus: 502,
        cause,
      });
    case resetCodes.unknownTarget:
      return new FairleadError({
        code: "LINK_RESET_UNKNOWN_TARGET",
        message: say("The other side doesn't serve this target", text),
        httpStatus: 501,
        cause,
      });
    case resetCodes.overloaded:
      return new FairleadError({
        code: "LINK_RESET_OVERLOADED",
        message: say("The other side is overloaded", text),
        httpStatus: 503,
        retryable: true,
        cause,
      });
  }
}

function say(message: string, text: string): string {
  return text === "" ? `${message}.` : `${message}: ${text}`;
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
