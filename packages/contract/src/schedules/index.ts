export { scheduleOperations } from "./operations.ts";
export type { PutScheduleRequest } from "./requests.ts";
export type { ConcurrencyPolicy, Schedule, ScheduleDetail, ScheduleList, ScheduleTick } from "./schedule.ts";
