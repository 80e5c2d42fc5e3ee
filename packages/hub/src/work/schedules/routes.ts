import { scheduleOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { createServe, parseOr } from "../../platform/server/index.ts";
import { requireKeys } from "../commands/index.ts";
import { scheduleErrors } from "./errors.ts";
import type { Schedules } from "./service.ts";

export function createScheduleRoutes(options: {
  readonly schedules: Schedules;
  /** Undefined: the hub has no commands. */
  readonly keys: CommandKeys | undefined;
}): FastifyPluginAsync {
  const { schedules, keys } = options;

  const parse = parseOr((problems) => scheduleErrors.SCHEDULE_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listSchedules, ({ principal }) => schedules.list(principal));
    serve(operations.getSchedule, ({ principal, params }) => schedules.get(principal, params.name));

    serve(
      operations.putSchedule,
      (call) => {
        requireKeys(keys);
        const { principal, params, body } = call;
        return schedules.put(principal, params.name, body);
      },
      { bodyLimitBytes },
    );

    serve(operations.pauseSchedule, ({ principal, params }) => schedules.setPaused(principal, params.name, true));
    serve(operations.resumeSchedule, ({ principal, params }) => schedules.setPaused(principal, params.name, false));
    serve(operations.removeSchedule, ({ principal, params }) => schedules.remove(principal, params.name));
  };
}

const bodyLimitBytes = 512 * 1024;
