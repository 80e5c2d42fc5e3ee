import { gitopsOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsSettingsService } from "./service.ts";

export function createGitopsSettingsRoutes(settings: GitopsSettingsService): FastifyPluginAsync {
  const parse = parseOr((problems) => gitopsErrors.GITOPS_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);
    serve(operations.getGitopsSettings, ({ principal, params }) => settings.get(principal, params.name));
    serve(operations.putGitopsSettings, ({ principal, params, body }) => settings.put(principal, params.name, body));
  };
}
