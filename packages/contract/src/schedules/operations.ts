import type { Operation } from "../old-operation.ts";
import { putScheduleRequestSchema } from "./requests.ts";
import { scheduleDetailSchema, scheduleListSchema, scheduleSchema } from "./schedule.ts";

const common = { method: "get", needsToken: true } as const;
const schedule = { status: 200, description: "The schedule", body: scheduleSchema } as const;

export const scheduleOperations: readonly Operation[] = [
  {
    ...common,
    id: "listSchedules",
    path: "/api/v1/schedules",
    summary: "One's own schedules, or all for who may list them",
    success: { status: 200, description: "Schedules by name", body: scheduleListSchema },
  },
  {
    ...common,
    id: "getSchedule",
    path: "/api/v1/schedules/{name}",
    summary: "One schedule with its last ticks",
    success: { status: 200, description: "The schedule", body: scheduleDetailSchema },
  },
  {
    ...common,
    id: "putSchedule",
    method: "put",
    path: "/api/v1/schedules/{name}",
    summary: "Make a schedule, or put another one of one's own in its place",
    request: putScheduleRequestSchema,
    success: schedule,
  },
  {
    ...common,
    id: "pauseSchedule",
    method: "post",
    path: "/api/v1/schedules/{name}/pause",
    summary: "Let a schedule begin nothing for now",
    success: schedule,
  },
  {
    ...common,
    id: "resumeSchedule",
    method: "post",
    path: "/api/v1/schedules/{name}/resume",
    summary: "Let a schedule go on at its next tick",
    success: schedule,
  },
  {
    ...common,
    id: "removeSchedule",
    method: "delete",
    path: "/api/v1/schedules/{name}",
    summary: "Remove a schedule; what it began goes on",
    success: { status: 204, description: "Gone" },
  },
];
