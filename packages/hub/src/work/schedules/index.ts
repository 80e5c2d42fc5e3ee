export { openSchedules, type SchedulesRoom } from "./open.ts";
