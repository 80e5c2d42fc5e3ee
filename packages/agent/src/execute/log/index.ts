export { createRunLog, type WritableRunLog } from "./run-log.ts";
export { createLogSender, type LogSender } from "./send-log.ts";
export { LogSpool, removeSpools } from "./spool.ts";
