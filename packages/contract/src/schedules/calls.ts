import type { CallOptions, Send } from "../send.ts";
import { schedulePaths as paths } from "./paths.ts";
import type { PutScheduleRequest } from "./requests.ts";
import {
  type Schedule,
  type ScheduleDetail,
  type ScheduleList,
  scheduleDetailSchema,
  scheduleListSchema,
  scheduleSchema,
} from "./schedule.ts";

export interface ScheduleCalls {
  listSchedules(options?: CallOptions): Promise<ScheduleList>;
  getSchedule(name: string, options?: CallOptions): Promise<ScheduleDetail>;
  putSchedule(name: string, request: PutScheduleRequest, options?: CallOptions): Promise<Schedule>;
  pauseSchedule(name: string, options?: CallOptions): Promise<Schedule>;
  resumeSchedule(name: string, options?: CallOptions): Promise<Schedule>;
  removeSchedule(name: string, options?: CallOptions): Promise<void>;
}

export function createScheduleCalls(send: Send): ScheduleCalls {
  const get = { method: "GET" };
  const post = { method: "POST", answer: scheduleSchema };
  return {
    listSchedules: (call) => send({ ...call, ...get, path: paths.schedules, answer: scheduleListSchema }),
    getSchedule: (name, call) => send({ ...call, ...get, path: paths.schedule(name), answer: scheduleDetailSchema }),
    putSchedule: (name, body, call) =>
      send({ ...call, method: "PUT", path: paths.schedule(name), body, answer: scheduleSchema }),
    pauseSchedule: (name, call) => send({ ...call, ...post, path: paths.pauseSchedule(name) }),
    resumeSchedule: (name, call) => send({ ...call, ...post, path: paths.resumeSchedule(name) }),
    removeSchedule: (name, call) => send({ ...call, method: "DELETE", path: paths.schedule(name) }),
  };
}
