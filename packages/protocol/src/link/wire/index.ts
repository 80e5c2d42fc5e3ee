export { callerGroups } from "./caller-identity.ts";
export { type Carrier, closeCodes } from "./carrier.ts";
export { wireErrors } from "./errors.ts";
export { type Frame, headText, readFrame, type WholeHead } from "./frame.ts";
export {
  frameTypes,
  headerBytes,
  maxDataBytes,
  maxFrameBytes,
  maxHeadBytes,
  maxPartBytes,
  maxWholeHeadBytes,
} from "./frame-types.ts";
export { checkHeadSize, FrameWriter } from "./frame-writer.ts";
export { formatGoAway, type GoAway } from "./go-away.ts";
export type { CallerIdentity, OpenHead, RawHeaders, ResponseHead, StreamTarget } from "./head-types.ts";
export { formatHead, formatOpen, formatTrailers, isDeadline, isFinalStatus, isRequestId } from "./heads.ts";
export type { LinkClosed } from "./link-closed.ts";
export { knownResetCode, type ResetCode, resetCodes } from "./reset-codes.ts";
export { formatResume, parseResume, parseResumeAnswer, type Resume, readResume } from "./resume.ts";
export { defaultPeerSettings, formatSettings, type PeerSettings, protocolVersions } from "./settings.ts";
