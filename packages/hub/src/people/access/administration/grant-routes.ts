import { grantOperations as operations } from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
import { parse } from "../body.ts";
import { grantErrors } from "../grants/index.ts";
import type { AccessRoom } from "../service.ts";
import type { Administration } from "./administration.ts";

/** Roles and bindings. */
export function createGrantRoutes(access: AccessRoom, administration: Administration): FastifyPluginAsync {
  const { grants } = access;

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listRoles, ({ principal }) => {
      access.require(principal, { verb: "list", resource: "roles" });
      return { items: [...grants.roles.values()] };
    });

    serve(operations.putRole, async (call) => {
      access.require(call.principal, { verb: "update", resource: "roles" });
      const { name } = call.params;
      if (!isDnsLabel(name)) throw grantErrors.ROLE_INVALID({ problem: "its name isn't a DNS label" });
      return await administration.putRole(call.principal, name, call.body);
    });

    serve(operations.removeRole, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "roles" });
      await administration.removeRole(params.name);
    });

    serve(operations.listBindings, ({ principal }) => {
      access.require(principal, { verb: "list", resource: "bindings" });
      return { items: grants.bindings() };
    });

    serve(operations.createBinding, async (call) => {
      access.require(call.principal, { verb: "create", resource: "bindings" });
      const made = await administration.bind(call.principal, call.body);
      call.request.told = { about: made.id };
      return made;
    });

    serve(operations.removeBinding, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "bindings" });
      await administration.unbind(principal, params.id);
    });
  };
}
