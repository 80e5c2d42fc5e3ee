export { createLogIntake, type LogIntake, type LogLimits } from "./append-log.ts";
export { createClusterTurns } from "./cluster-turns.ts";
export { countLogBytes } from "./count-log-bytes.ts";
export { endIfIdle } from "./end-if-idle.ts";
export { createLogReaders, type LogReaders } from "./log-readers.ts";
export { createLogReader, type LogReader } from "./read-log.ts";
export { createLogRoutes } from "./routes.ts";
export { listSteps, type NewStep } from "./steps.ts";
export { trimLogs } from "./trim-logs.ts";
