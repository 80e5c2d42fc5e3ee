import {
  type ApplicationName,
  applicationListQuerySchema,
  gitopsPaths,
  putApplicationRequestSchema,
  refreshApplicationRequestSchema,
  rollbackApplicationRequestSchema,
  syncApplicationRequestSchema,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { parseInput } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { Applications } from "./service.ts";

export function createApplicationRoutes(applications: Applications): FastifyPluginAsync {
  return async (server) => {
    server.get(gitopsPaths.applications, ({ principal, query }) =>
      applications.list(principal, parseInput(applicationListQuerySchema, query, requestInvalid)),
    );

    server.get<NameParams>(path, (request) => applications.get(request.principal, nameOf(request)));
    server.get<NameParams>(`${path}/history`, (request) => applications.history(request.principal, nameOf(request)));

    server.put<NameParams>(path, { bodyLimit: bodyLimitBytes }, (request) => {
      const asked = parseInput(putApplicationRequestSchema, request.body, requestInvalid);
      return applications.put(request.principal, nameOf(request), asked);
    });

    server.delete<NameParams>(path, async (request, reply) => {
      await applications.remove(request.principal, nameOf(request));
      return await reply.code(204).send();
    });

    server.post<NameParams>(`${path}/sync`, (request) => {
      const asked = parseInput(syncApplicationRequestSchema, request.body ?? {}, requestInvalid);
      return applications.sync(request.principal, nameOf(request), asked);
    });

    server.post<NameParams>(`${path}/refresh`, (request) => {
      const asked = parseInput(refreshApplicationRequestSchema, request.body ?? {}, requestInvalid);
      return applications.refresh(request.principal, nameOf(request), asked);
    });

    server.post<NameParams>(`${path}/terminate`, (request) =>
      applications.terminate(request.principal, nameOf(request)),
    );

    server.post<NameParams>(`${path}/rollback`, (request) => {
      const asked = parseInput(rollbackApplicationRequestSchema, request.body, requestInvalid);
      return applications.rollback(request.principal, nameOf(request), asked);
    });
  };
}

/** The audit records name it, too. */
function nameOf(request: FastifyRequest<NameParams>): ApplicationName {
  const { name: cluster, namespace, app: name } = request.params;
  request.told = { about: `${namespace}/${name}`, cluster };
  return { cluster, namespace, name };
}

function requestInvalid(problems: string): FairleadError {
  return gitopsErrors.GITOPS_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string; namespace: string; app: string };
}

const path = "/api/v1/clusters/:name/applications/:namespace/:app";
/** Some room for what JSON takes beside the largest object. */
const bodyLimitBytes = 2 * 1024 * 1024;
