import {
  createStackRunRequestSchema,
  stackLimits,
  stackListQuerySchema,
  stackPaths,
  stackRunListQuerySchema,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import { parseInput } from "../../../platform/server/index.ts";
import { requireKeys } from "../../commands/index.ts";
import { stackErrors } from "./errors.ts";
import type { Stacks } from "./service.ts";

export function createStackRoutes(options: {
  readonly stacks: Stacks;
  /** Undefined: the hub has no commands. */
  readonly keys: CommandKeys | undefined;
}): FastifyPluginAsync {
  const { stacks, keys } = options;

  return async (server) => {
    server.get(stackPaths.stacks, ({ principal, query }) =>
      stacks.list(principal, parseInput(stackListQuerySchema, query, requestInvalid)),
    );

    server.get<NameParams>("/api/v1/stacks/:name", ({ principal, params }) => stacks.get(principal, params.name));

    server.post<NameParams>("/api/v1/stacks/:name/runs", { bodyLimit: bodyLimitBytes }, async (request, reply) => {
      requireKeys(keys);
      const { principal, params, body } = request;
      const asked = parseInput(createStackRunRequestSchema, body, requestInvalid);
      // Also for the record of a refusal.
      request.told = { about: params.name };
      const { run, isNew } = await stacks.run(principal, params.name, asked);
      request.told = { about: run.id };
      return await reply.code(isNew ? 201 : 200).send(run);
    });

    server.get<NameParams>("/api/v1/stacks/:name/runs", ({ principal, params, query }) =>
      stacks.listRuns(principal, params.name, parseInput(stackRunListQuerySchema, query, requestInvalid)),
    );

    server.get<RunParams>("/api/v1/stacks/:name/runs/:id", ({ principal, params }) =>
      stacks.getRun(principal, params.name, params.id),
    );

    server.post<RunParams>("/api/v1/stacks/:name/runs/:id/cancel", (request) => {
      const { principal, params } = request;
      request.told = { about: params.id };
      return stacks.cancel(principal, params.name, params.id);
    });
  };
}

function requestInvalid(problems: string): FairleadError {
  return stackErrors.STACK_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

interface RunParams {
  Params: { name: string; id: string };
}

/** Specs, with what their quotes and line feeds take more as JSON within JSON. */
const bodyLimitBytes = stackLimits.bytes + 1024 * 1024;
