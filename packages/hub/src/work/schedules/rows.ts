import type { Schedule, ScheduleTick } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** Without what may be large. */
export type ScheduleRow = Omit<Selectable<Tables["schedule"]>, "request">;
export type TickRow = Selectable<Tables["schedule_tick"]>;

export const scheduleColumns: readonly (keyof ScheduleRow)[] = [
  ...([
    "name",
    "id",
    "cron",
    "time_zone",
    "kind",
    "missed",
    "deadline_seconds",
    "concurrency_policy",
    "is_paused",
  ] as const),
  ...(["owner", "owner_uid", "asker", "next_at", "created_at"] as const),
];

export function toSchedule(row: ScheduleRow, last: TickRow | undefined): Schedule {
  const { deadline_seconds: deadline, next_at: next, is_paused: paused } = row;
  return {
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    missed: row.missed,
    paused,
    concurrencyPolicy: row.concurrency_policy,
    owner: row.owner,
    kind: row.kind,
    createdAt: row.created_at.toISOString(),
    ...(deadline === null ? {} : { startingDeadlineSeconds: deadline }),
    ...(next === null || paused ? {} : { nextTickAt: next.toISOString() }),
    ...(last ? { lastTick: toTick(last) } : {}),
  };
}

export function toTick({ at, state, rollout, code, message, hint }: TickRow): ScheduleTick {
  return {
    at: at.toISOString(),
    state,
    ...(rollout === null ? {} : { rollout }),
    ...(code === null ? {} : { trouble: { code, message: message ?? "", ...(hint === null ? {} : { hint }) } }),
  };
}
