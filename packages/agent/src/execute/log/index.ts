export { createRunLog, type WritableRunLog } from "./run-log.ts";
export { hasSpool, removeSpool, removeSpools } from "./segments.ts";
export { createLogSender, type LogSender } from "./send-log.ts";
export { type OwedLogOptions, sendOwedLog, tellLost } from "./send-owed.ts";
export { LogSpool } from "./spool.ts";
export { readSpoolId } from "./spool-id.ts";
export { createSpoolRoom, type SpoolRoom } from "./spool-room.ts";
export { untilSent } from "./until-sent.ts";
