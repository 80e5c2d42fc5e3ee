export { scheduleOperations } from "./operations.ts";
export { type PutScheduleRequest, putScheduleRequestSchema, scheduleNameSchema } from "./requests.ts";
export type { ConcurrencyPolicy, Schedule, ScheduleDetail, ScheduleList, ScheduleTick } from "./schedule.ts";
