// The room of schedules: rollouts that are asked for by the clock.
import type { Clock } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../people/access/index.ts";
import type { Leases } from "../../platform/leases/index.ts";
import type { CommandKeys } from "../../platform/pki/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Rollouts } from "../graph-runs/index.ts";
import { createScheduleRoutes } from "./routes.ts";
import { createSchedules, type ScheduleLimits } from "./service.ts";
import { createTickWork } from "./ticks.ts";
import { startScheduleWork } from "./work.ts";

export interface SchedulesRoom extends AsyncDisposable {
  readonly routes: readonly FastifyPluginAsync[];
}

export function openSchedules(options: {
  /** For what people ask. */
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require" | "recall" | "refuseAbsent">;
  readonly rollouts: Rollouts;
  /** Undefined: there are no commands. */
  readonly keys: CommandKeys | undefined;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: ScheduleLimits | undefined;
}): SchedulesRoom {
  const { db, access, rollouts, keys, leases, clock, log, limits } = options;
  const schedules = createSchedules({ db, access, rollouts, limits });
  const work = startScheduleWork({ ticks: createTickWork({ db, rollouts, access }), leases, clock, log });
  return {
    routes: [createScheduleRoutes({ schedules, keys })],
    [Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
  };
}
