import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { putScheduleRequestSchema, scheduleNameSchema } from "./requests.ts";
import { scheduleDetailSchema, scheduleListSchema, scheduleSchema } from "./schedule.ts";

export const scheduleOperations = defineOperations({
  listSchedules: {
    method: "GET",
    path: "/api/v1/schedules",
    summary: "One's own schedules, or all for who may list them",
    success: { status: 200, description: "Schedules by name", body: scheduleListSchema },
    right: "list schedules, for those of others",
  },
  getSchedule: {
    method: "GET",
    path: "/api/v1/schedules/{name}",
    summary: "One schedule with its last ticks",
    params: { name: z.string().describe("Name of the schedule") },
    success: { status: 200, description: "The schedule", body: scheduleDetailSchema },
    errors: ["SCHEDULE_NOT_FOUND"],
    right: "get schedules, for those of others",
  },
  putSchedule: {
    method: "PUT",
    path: "/api/v1/schedules/{name}",
    summary: "Make a schedule, or put another one of one's own in its place",
    params: { name: scheduleNameSchema.describe("Name of the schedule") },
    request: putScheduleRequestSchema,
    success: { status: 200, description: "The schedule", body: scheduleSchema },
    errors: [
      "SCHEDULE_REQUEST_INVALID",
      "SCHEDULE_CRON_INVALID",
      "SCHEDULE_TIME_ZONE_UNKNOWN",
      "SCHEDULE_NAME_TAKEN",
      "SCHEDULE_TOO_LARGE",
      "SCHEDULE_TOO_MANY",
      "COMMAND_UNSIGNABLE",
      "COMMAND_SPEC_UNUSABLE",
    ],
    right: "create commands/{kind}, or use templates/{name}, in one of the clusters at least",
  },
  pauseSchedule: {
    method: "POST",
    path: "/api/v1/schedules/{name}/pause",
    summary: "Let a schedule begin nothing for now",
    params: { name: z.string().describe("Name of the schedule") },
    success: { status: 200, description: "The schedule", body: scheduleSchema },
    errors: ["SCHEDULE_NOT_FOUND"],
    right: "update schedules, for those of others",
  },
  resumeSchedule: {
    method: "POST",
    path: "/api/v1/schedules/{name}/resume",
    summary: "Let a schedule go on at its next tick",
    params: { name: z.string().describe("Name of the schedule") },
    success: { status: 200, description: "The schedule", body: scheduleSchema },
    errors: ["SCHEDULE_NOT_FOUND"],
    right: "update schedules, for those of others",
  },
  removeSchedule: {
    method: "DELETE",
    path: "/api/v1/schedules/{name}",
    summary: "Remove a schedule; what it began goes on",
    params: { name: z.string().describe("Name of the schedule") },
    success: { status: 204, description: "Gone" },
    errors: ["SCHEDULE_NOT_FOUND"],
    right: "delete schedules, for those of others",
  },
});
