import { gitopsOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { LeavingService } from "./service.ts";

export function createLeavingRoutes(leaving: LeavingService): FastifyPluginAsync {
  const parse = parseOr((problems) => gitopsErrors.GITOPS_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);
    serve(operations.countLeavingApplications, ({ principal, params }) => leaving.count(principal, params.name));
    serve(operations.letApplicationsGo, ({ principal, params }) => leaving.letGo(principal, params.name));
  };
}
