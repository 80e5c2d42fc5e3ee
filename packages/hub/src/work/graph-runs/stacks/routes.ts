import { stackOperations as operations, stackLimits } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import { createServe, parseOr } from "../../../platform/server/index.ts";
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
    const serve = createServe(server, parseOr(requestInvalid));

    serve(operations.listStacks, ({ principal, query }) => stacks.list(principal, query));
    serve(operations.getStack, ({ principal, params }) => stacks.get(principal, params.name));

    serve(
      operations.createStackRun,
      async (call) => {
        requireKeys(keys);
        const { request, reply, principal, params, body } = call;
        // Also for the record of a refusal.
        request.told = { about: params.name };
        const { run, isNew } = await stacks.run(principal, params.name, body);
        request.told = { about: run.id };
        if (!isNew) void reply.code(200);
        return run;
      },
      { bodyLimitBytes },
    );

    serve(operations.listStackRuns, ({ principal, params, query }) => stacks.listRuns(principal, params.name, query));

    serve(operations.getStackRun, ({ principal, params }) => stacks.getRun(principal, params.name, params.id));

    serve(operations.cancelStackRun, ({ request, principal, params }) => {
      request.told = { about: params.id };
      return stacks.cancel(principal, params.name, params.id);
    });
  };
}

function requestInvalid(problems: string): FairleadError {
  return stackErrors.STACK_REQUEST_INVALID({ problems });
}

/** Specs, with what their quotes and line feeds take more as JSON within JSON. */
const bodyLimitBytes = stackLimits.bytes + 1024 * 1024;
