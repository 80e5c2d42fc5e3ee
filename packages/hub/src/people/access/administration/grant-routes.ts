import {
  type AccessBindingList,
  type AccessRole,
  type AccessRoleList,
  type CreatedBinding,
  createBindingRequestSchema,
  accessPaths as paths,
  putRoleRequestSchema,
} from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { parse } from "../body.ts";
import { grantErrors } from "../grants/index.ts";
import type { AccessRoom } from "../service.ts";
import type { Administration } from "./administration.ts";

/** Roles and bindings. */
export function createGrantRoutes(access: AccessRoom, administration: Administration): FastifyPluginAsync {
  const { grants } = access;

  return async (server) => {
    server.get(paths.accessRoles, (request): AccessRoleList => {
      access.require(request.principal, { verb: "list", resource: "roles" });
      return { items: [...grants.roles.values()] };
    });

    server.put<{ Params: { name: string } }>(`${paths.accessRoles}/:name`, async (request): Promise<AccessRole> => {
      access.require(request.principal, { verb: "update", resource: "roles" });
      const { name } = request.params;
      if (!isDnsLabel(name)) throw grantErrors.ROLE_INVALID({ problem: "its name isn't a DNS label" });
      return await administration.putRole(request.principal, name, parse(putRoleRequestSchema, request.body));
    });

    server.delete<{ Params: { name: string } }>(`${paths.accessRoles}/:name`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource: "roles" });
      await administration.removeRole(request.params.name);
      return await reply.code(204).send();
    });

    server.get(paths.bindings, (request): AccessBindingList => {
      access.require(request.principal, { verb: "list", resource: "bindings" });
      return { items: grants.bindings() };
    });

    server.post(paths.bindings, async (request, reply): Promise<CreatedBinding> => {
      access.require(request.principal, { verb: "create", resource: "bindings" });
      const made = await administration.bind(request.principal, parse(createBindingRequestSchema, request.body));
      void reply.code(201);
      return made;
    });

    server.delete<{ Params: { id: string } }>(`${paths.bindings}/:id`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource: "bindings" });
      await administration.unbind(request.principal, request.params.id);
      return await reply.code(204).send();
    });
  };
}
