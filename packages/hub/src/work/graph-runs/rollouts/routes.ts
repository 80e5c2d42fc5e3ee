import {
  createRolloutRequestSchema,
  type Rollout,
  retryRolloutRequestSchema,
  rolloutClustersQuerySchema,
  rolloutListQuerySchema,
  rolloutPaths,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Principal } from "../../../people/access/index.ts";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import { parseInput } from "../../../platform/server/index.ts";
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
    server.post(rolloutPaths.rollouts, { bodyLimit: bodyLimitBytes }, async (request, reply) => {
      requireKeys(keys);
      const asked = parseInput(createRolloutRequestSchema, request.body, requestInvalid);
      // Also for the record of a refusal.
      request.told = { about: "", template: templateOf(asked) };
      const { rollout, isNew } = await rollouts.create(request.principal, asked);
      note(request, rollout);
      return await reply.code(isNew ? 201 : 200).send(rollout);
    });

    server.post(rolloutPaths.previewRollout, { bodyLimit: bodyLimitBytes }, ({ principal, body }) =>
      rollouts.preview(principal, parseInput(createRolloutRequestSchema, body, requestInvalid)),
    );

    server.get(rolloutPaths.rollouts, ({ principal, query }) =>
      rollouts.list(principal, parseInput(rolloutListQuerySchema, query, requestInvalid)),
    );

    server.get<IdParams>("/api/v1/rollouts/:id", ({ principal, params }) => rollouts.get(principal, params.id));

    server.get<IdParams>("/api/v1/rollouts/:id/clusters", ({ principal, params, query }) =>
      rollouts.listClusters(principal, params.id, parseInput(rolloutClustersQuerySchema, query, requestInvalid)),
    );

    server.post<IdParams>("/api/v1/rollouts/:id/pause", (request) => change(request, rollouts.pause));
    server.post<IdParams>("/api/v1/rollouts/:id/resume", (request) => change(request, rollouts.resume));
    server.post<IdParams>("/api/v1/rollouts/:id/cancel", (request) => change(request, rollouts.cancel));

    server.post<IdParams>("/api/v1/rollouts/:id/retry", async (request, reply) => {
      requireKeys(keys);
      const asked = parseInput(retryRolloutRequestSchema, request.body ?? {}, requestInvalid);
      const { rollout, isNew } = await rollouts.retry(request.principal, request.params.id, asked);
      note(request, rollout);
      return await reply.code(isNew ? 201 : 200).send(rollout);
    });
  };

  function note(request: Pick<FastifyRequest, "told">, { id, template }: Rollout): void {
    request.told = { about: id, template: template && formatOrigin(template) };
  }

  function change(
    { principal, params }: FastifyRequest<IdParams>,
    how: (principal: Principal, id: string) => Promise<Rollout>,
  ): Promise<Rollout> {
    return how(principal, params.id);
  }
}

function requestInvalid(problems: string): FairleadError {
  return rolloutErrors.ROLLOUT_REQUEST_INVALID({ problems });
}

interface IdParams {
  Params: { id: string };
}

/** A spec, with what its quotes and line feeds take more as JSON within JSON, and names of clusters. */
const bodyLimitBytes = 4 * 1024 * 1024 + 256 * 1024;
