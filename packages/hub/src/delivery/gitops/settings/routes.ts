import { putGitopsSettingsRequestSchema } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { parseInput } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsSettingsService } from "./service.ts";

export function createGitopsSettingsRoutes(settings: GitopsSettingsService): FastifyPluginAsync {
  return async (server) => {
    server.get<NameParams>(path, ({ principal, params }) => settings.get(principal, params.name));

    server.put<NameParams>(path, ({ principal, params, body }) =>
      settings.put(principal, params.name, parseInput(putGitopsSettingsRequestSchema, body, requestInvalid)),
    );
  };
}

function requestInvalid(problems: string): FairleadError {
  return gitopsErrors.GITOPS_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

const path = "/api/v1/clusters/:name/gitops";
