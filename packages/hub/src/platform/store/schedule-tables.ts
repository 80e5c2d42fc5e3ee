import type { ConcurrencyPolicy, ScheduleTick } from "@fairlead/contract";
import type { Generated } from "kysely";

/** Rollouts that are asked for by the clock. */
export interface ScheduleTables {
  readonly schedule: ScheduleTable;
  readonly schedule_tick: ScheduleTickTable;
}

export interface ScheduleTable {
  readonly name: string;
  readonly id: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly kind: string;
  readonly request: string;
  readonly missed: "skip" | "one";
  readonly deadline_seconds: number | null;
  readonly concurrency_policy: Generated<ConcurrencyPolicy>;
  readonly is_paused: boolean;
  readonly owner: string;
  readonly owner_uid: string;
  readonly asker: string;
  readonly next_at: Date | null;
  readonly created_at: Generated<Date>;
}

export interface ScheduleTickTable {
  readonly schedule: string;
  readonly at: Date;
  readonly state: ScheduleTick["state"];
  readonly rollout: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly is_admitted: Generated<boolean>;
}
