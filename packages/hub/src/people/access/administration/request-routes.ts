import { accessRequestOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
import { parse } from "../body.ts";
import type { AccessRoom } from "../service.ts";
import type { AccessRequests } from "./access-requests.ts";

/** Anyone may ask for themselves; who may bind decides. */
export function createAccessRequestRoutes(access: AccessRoom, requests: AccessRequests): FastifyPluginAsync {
  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.createAccessRequest, async ({ request, principal, body }) => {
      const made = await requests.create(principal, body);
      request.told = { about: made.id };
      return made;
    });

    serve(operations.listAccessRequests, async ({ principal, query: { state } }) => ({
      items: await requests.list(principal, state),
    }));

    serve(operations.getAccessRequest, async ({ principal, params }) => await requests.get(principal, params.id));

    serve(operations.approveAccessRequest, async (call) => {
      access.require(call.principal, { verb: "create", resource: "bindings" });
      return await requests.approve(call.principal, call.params.id, call.body);
    });

    serve(operations.denyAccessRequest, async (call) => {
      access.require(call.principal, { verb: "create", resource: "bindings" });
      return await requests.deny(call.principal, call.params.id, call.body);
    });

    serve(operations.cancelAccessRequest, async ({ principal, params }) => await requests.cancel(principal, params.id));
  };
}
