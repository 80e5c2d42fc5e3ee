import { confirmDeletionsRequestSchema, gitopsPaths, gitopsStatusListQuerySchema } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { parseInput } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsStatuses } from "./service.ts";

export function createGitopsStatusRoutes(statuses: GitopsStatuses): FastifyPluginAsync {
  return async (server) => {
    server.get(gitopsPaths.statuses, ({ principal, query }) =>
      statuses.list(principal, parseInput(gitopsStatusListQuerySchema, query, requestInvalid)),
    );

    server.get<NameParams>(`${path}/status`, ({ principal, params }) => statuses.get(principal, params.name));

    server.post<NameParams>(`${path}/confirm`, (request) => {
      const { name: cluster } = request.params;
      const asked = parseInput(confirmDeletionsRequestSchema, request.body, requestInvalid);
      // The audit record says which deletions.
      request.told = { about: `${asked.count} deletions, ${asked.digest}`, cluster };
      return statuses.confirm(request.principal, cluster, asked);
    });
  };
}

function requestInvalid(problems: string): FairleadError {
  return gitopsErrors.GITOPS_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

const path = "/api/v1/clusters/:name/gitops";
