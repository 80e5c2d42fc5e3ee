import { putScheduleRequestSchema, scheduleNameSchema, schedulePaths } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../platform/pki/index.ts";
import { parseInput } from "../../platform/server/index.ts";
import { requireKeys } from "../commands/index.ts";
import { scheduleErrors } from "./errors.ts";
import type { Schedules } from "./service.ts";

export function createScheduleRoutes(options: {
  readonly schedules: Schedules;
  /** Undefined: the hub has no commands. */
  readonly keys: CommandKeys | undefined;
}): FastifyPluginAsync {
  const { schedules, keys } = options;

  return async (server) => {
    server.get(schedulePaths.schedules, ({ principal }) => schedules.list(principal));

    server.get<NameParams>("/api/v1/schedules/:name", ({ principal, params }) => schedules.get(principal, params.name));

    server.put<NameParams>("/api/v1/schedules/:name", { bodyLimit: bodyLimitBytes }, ({ principal, params, body }) => {
      requireKeys(keys);
      const name = parseInput(scheduleNameSchema, params.name, requestInvalid);
      return schedules.put(principal, name, parseInput(putScheduleRequestSchema, body, requestInvalid));
    });

    server.post<NameParams>("/api/v1/schedules/:name/pause", ({ principal, params }) =>
      schedules.setPaused(principal, params.name, true),
    );

    server.post<NameParams>("/api/v1/schedules/:name/resume", ({ principal, params }) =>
      schedules.setPaused(principal, params.name, false),
    );

    server.delete<NameParams>("/api/v1/schedules/:name", async ({ principal, params }, reply) => {
      await schedules.remove(principal, params.name);
      return await reply.code(204).send();
    });
  };
}

function requestInvalid(problems: string): FairleadError {
  return scheduleErrors.SCHEDULE_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

const bodyLimitBytes = 512 * 1024;
