import { rolloutOperations as operations, type Rollout } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { formatOrigin, requireKeys, templateOf } from "../../commands/index.ts";
import { rolloutErrors } from "./errors.ts";
import type { Rollouts } from "./service.ts";

export function createRolloutRoutes(options: {
  readonly rollouts: Rollouts;
  /** Undefined: the hub has no commands. */
  readonly keys: CommandKeys | undefined;
}): FastifyPluginAsync {
  const { rollouts, keys } = options;

  return async (server) => {
    const serve = createServe(server, parseOr(requestInvalid));

    serve(
      operations.createRollout,
      async (call) => {
        requireKeys(keys);
        const { request, reply, principal, body } = call;
        // Also for the record of a refusal.
        request.told = { about: "", template: templateOf(body) };
        const { rollout, isNew } = await rollouts.create(principal, body);
        note(request, rollout);
        if (!isNew) void reply.code(200);
        return rollout;
      },
      { bodyLimitBytes },
    );

    serve(operations.previewRollout, ({ principal, body }) => rollouts.preview(principal, body), { bodyLimitBytes });
    serve(operations.listRollouts, ({ principal, query }) => rollouts.list(principal, query));
    serve(operations.getRollout, ({ principal, params }) => rollouts.get(principal, params.id));

    serve(operations.listRolloutClusters, ({ principal, params, query }) =>
      rollouts.listClusters(principal, params.id, query),
    );

    serve(operations.pauseRollout, ({ principal, params }) => rollouts.pause(principal, params.id));
    serve(operations.resumeRollout, ({ principal, params }) => rollouts.resume(principal, params.id));
    serve(operations.cancelRollout, ({ principal, params }) => rollouts.cancel(principal, params.id));

    serve(operations.retryRollout, async (call) => {
      requireKeys(keys);
      const { request, reply, principal, params, body } = call;
      const { rollout, isNew } = await rollouts.retry(principal, params.id, body);
      note(request, rollout);
      if (!isNew) void reply.code(200);
      return rollout;
    });
  };

  function note(request: Pick<FastifyRequest, "told">, { id, template }: Rollout): void {
    request.told = { about: id, template: template && formatOrigin(template) };
  }
}

function requestInvalid(problems: string): FairleadError {
  return rolloutErrors.ROLLOUT_REQUEST_INVALID({ problems });
}

/** A spec, with what its quotes and line feeds take more as JSON within JSON, and names of clusters. */
const bodyLimitBytes = 4 * 1024 * 1024 + 256 * 1024;
