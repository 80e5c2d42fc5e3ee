import { gitopsOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsStatuses } from "./service.ts";

export function createGitopsStatusRoutes(statuses: GitopsStatuses): FastifyPluginAsync {
  const parse = parseOr((problems) => gitopsErrors.GITOPS_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listGitopsStatus, ({ principal, query }) => statuses.list(principal, query));
    serve(operations.getGitopsStatus, ({ principal, params }) => statuses.get(principal, params.name));

    serve(operations.confirmDeletions, ({ request, principal, params: { name: cluster }, body }) => {
      // The audit record says which deletions.
      request.told = { about: `${body.count} deletions, ${body.digest}`, cluster };
      return statuses.confirm(principal, cluster, body);
    });
  };
}
