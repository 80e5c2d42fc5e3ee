export { createRunLog, type WritableRunLog } from "./run-log.ts";
export { removeSpools } from "./segments.ts";
export { createLogSender, type LogSender } from "./send-log.ts";
export { LogSpool } from "./spool.ts";
export { createSpoolRoom, type SpoolRoom } from "./spool-room.ts";
