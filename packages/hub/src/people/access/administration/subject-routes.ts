import { subjectOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
import { parse } from "../body.ts";
import { makersOf } from "../party.ts";
import type { AccessRoom } from "../service.ts";
import { toText } from "../sign-in/index.ts";
import type { Administration } from "./administration.ts";

/** Robots and users. */
export function createSubjectRoutes(access: AccessRoom, administration: Administration): FastifyPluginAsync {
  const { robots, users, sessions } = access;

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listRobots, ({ principal }) => {
      access.require(principal, { verb: "list", resource: "robots" });
      return { items: robots.list() };
    });

    serve(operations.createRobot, async (call) => {
      access.require(call.principal, { verb: "create", resource: "robots" });
      const { name, ttlMs, description } = call.body;
      return await robots.create({
        name,
        madeBy: makersOf(access, call.principal),
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(description === undefined ? {} : { description }),
      });
    });

    serve(operations.getRobot, ({ principal, params }) => {
      access.require(principal, { verb: "get", resource: "robots" });
      return robots.get(params.name);
    });

    serve(operations.removeRobot, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "robots" });
      await administration.removeRobot(params.name);
    });

    serve(operations.createRobotToken, async (call) => {
      access.require(call.principal, { verb: "create", resource: "robots/tokens" });
      const made = await administration.createRobotToken(call.principal, call.params.name, call.body);
      return { id: made.id, token: made.token, expiresAt: toText(made.expiresMs) };
    });

    serve(operations.revokeRobotToken, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "robots/tokens" });
      await administration.revokeRobotToken(params.name, params.id);
    });

    serve(operations.listUsers, ({ principal }) => {
      access.require(principal, { verb: "list", resource: "users" });
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

    serve(operations.removeUser, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "users" });
      await administration.removeUser(principal, params.name);
    });

    serve(operations.signOutUser, async ({ principal, params }) => {
      access.require(principal, { verb: "delete", resource: "sessions" });
      await administration.signOutUser(params.name);
    });
  };
}
