import {
  createRobotRequestSchema,
  createRobotTokenRequestSchema,
  type NewRobotToken,
  accessPaths as paths,
  type Robot,
  type RobotList,
  type UserList,
} from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { parse } from "../body.ts";
import { makersOf } from "../party.ts";
import type { AccessRoom } from "../service.ts";
import { toText } from "../sign-in/index.ts";
import type { Administration } from "./administration.ts";

/** Robots and users. */
export function createSubjectRoutes(access: AccessRoom, administration: Administration): FastifyPluginAsync {
  const { robots, users, sessions } = access;

  return async (server) => {
    server.get(paths.robots, (request): RobotList => {
      access.require(request.principal, { verb: "list", resource: "robots" });
      return { items: robots.list() };
    });

    server.post(paths.robots, async (request, reply): Promise<Robot> => {
      access.require(request.principal, { verb: "create", resource: "robots" });
      const { name, ttlMs, description } = parse(createRobotRequestSchema, request.body);
      void reply.code(201);
      return await robots.create({
        name,
        madeBy: makersOf(access, request.principal),
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(description === undefined ? {} : { description }),
      });
    });

    server.get<Named>(`${paths.robots}/:name`, (request): Robot => {
      access.require(request.principal, { verb: "get", resource: "robots" });
      return robots.get(request.params.name);
    });

    server.delete<Named>(`${paths.robots}/:name`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource: "robots" });
      await administration.removeRobot(request.params.name);
      return await reply.code(204).send();
    });

    server.post<Named>(`${paths.robots}/:name/tokens`, async (request, reply): Promise<NewRobotToken> => {
      access.require(request.principal, { verb: "create", resource: "robots/tokens" });
      const wanted = parse(createRobotTokenRequestSchema, request.body);
      const made = await administration.createRobotToken(request.principal, request.params.name, wanted);
      void reply.code(201);
      return { id: made.id, token: made.token, expiresAt: toText(made.expiresMs) };
    });

    server.delete<{ Params: { name: string; id: string } }>(
      `${paths.robots}/:name/tokens/:id`,
      async (request, reply) => {
        access.require(request.principal, { verb: "delete", resource: "robots/tokens" });
        await administration.revokeRobotToken(request.params.name, request.params.id);
        return await reply.code(204).send();
      },
    );

    server.get(paths.users, (request): UserList => {
      access.require(request.principal, { verb: "list", resource: "users" });
      const open = Map.groupBy(sessions.list(), ({ uid }) => uid);
      return {
        items: users.list().map(({ name, uid, issuer, groups, createdMs, signedInMs }) => ({
          name,
          uid,
          issuer,
          groups: [...groups],
          createdAt: toText(createdMs),
          lastSignedInAt: toText(signedInMs),
          sessions: open.get(uid)?.length ?? 0,
        })),
      };
    });

    server.delete<Named>(`${paths.users}/:name`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource: "users" });
      await administration.removeUser(request.principal, request.params.name);
      return await reply.code(204).send();
    });

    server.post<Named>(`${paths.users}/:name/sign-out`, async (request, reply) => {
      access.require(request.principal, { verb: "delete", resource: "sessions" });
      await administration.signOutUser(request.params.name);
      return await reply.code(204).send();
    });
  };
}

interface Named {
  Params: { name: string };
}
