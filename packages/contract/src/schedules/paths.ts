export const schedulePaths: {
  readonly schedules: string;
  schedule(name: string): string;
  pauseSchedule(name: string): string;
  resumeSchedule(name: string): string;
} = {
  schedules: "/api/v1/schedules",
  schedule: (name) => `/api/v1/schedules/${encodeURIComponent(name)}`,
  pauseSchedule: (name) => `/api/v1/schedules/${encodeURIComponent(name)}/pause`,
  resumeSchedule: (name) => `/api/v1/schedules/${encodeURIComponent(name)}/resume`,
};
