import { type ArgoObjectName, gitopsOperations, argoObjectOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { ArgoObjects } from "./service.ts";

export function createArgoObjectRoutes(objects: ArgoObjects): FastifyPluginAsync {
  const parse = parseOr((problems) => gitopsErrors.GITOPS_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(gitopsOperations.listArgoObjects, ({ principal, params, query }) =>
      objects.list(principal, params.kind, query),
    );

    serve(operations.getArgoObject, (call) => objects.get(call.principal, nameOf(call)));

    serve(
      operations.putArgoObject,
      (call) => {
        const { principal, body } = call;
        return objects.put(principal, nameOf(call), body);
      },
      { bodyLimitBytes },
    );

    serve(operations.removeArgoObject, (call) => objects.remove(call.principal, nameOf(call)));
  };
}

/** The audit records name it, too. */
function nameOf({ request, params }: { readonly request: FastifyRequest; readonly params: ArgoObjectName }) {
  const { kind, name } = params;
  request.told = { about: `${kind}/${name}` };
  return { kind, name };
}

/** Some room for what JSON takes beside the largest object. */
const bodyLimitBytes = 2 * 1024 * 1024;
