import { type ApplicationName, gitopsOperations, applicationOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createServe, parseOr } from "../../../platform/server/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { Applications } from "./service.ts";

export function createApplicationRoutes(applications: Applications): FastifyPluginAsync {
  const parse = parseOr((problems) => gitopsErrors.GITOPS_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(gitopsOperations.listApplications, ({ principal, query }) => applications.list(principal, query));
    serve(operations.getApplication, (call) => applications.get(call.principal, nameOf(call)));
    serve(operations.getApplicationHistory, (call) => applications.history(call.principal, nameOf(call)));

    serve(
      operations.putApplication,
      (call) => {
        const { principal, body } = call;
        return applications.put(principal, nameOf(call), body);
      },
      { bodyLimitBytes },
    );

    serve(operations.removeApplication, (call) => applications.remove(call.principal, nameOf(call)));

    serve(operations.syncApplication, (call) => {
      const { principal, body } = call;
      return applications.sync(principal, nameOf(call), body);
    });

    serve(operations.refreshApplication, (call) => {
      const { principal, body } = call;
      return applications.refresh(principal, nameOf(call), body);
    });

    serve(operations.terminateApplication, (call) => applications.terminate(call.principal, nameOf(call)));

    serve(operations.rollbackApplication, (call) => {
      const { principal, body } = call;
      return applications.rollback(principal, nameOf(call), body);
    });
  };
}

/** The audit records name it, too. */
function nameOf({ request, params }: ApplicationCall): ApplicationName {
  const { name: cluster, namespace, app: name } = params;
  request.told = { about: `${namespace}/${name}`, cluster };
  return { cluster, namespace, name };
}

interface ApplicationCall {
  readonly request: FastifyRequest;
  readonly params: { readonly name: string; readonly namespace: string; readonly app: string };
}

/** Some room for what JSON takes beside the largest object. */
const bodyLimitBytes = 2 * 1024 * 1024;
