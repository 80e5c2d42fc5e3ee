import { fitnessPaths, fitnessQuerySchema } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { parseInput } from "../../platform/server/index.ts";
import { objectQueryInvalid } from "../objects/index.ts";
import type { Fitness } from "./service.ts";

export function createFitnessRoutes(fitness: Fitness): FastifyPluginAsync {
  return async (server) => {
    server.get(fitnessPaths.list, async ({ principal, query }, reply) => {
      const asked = parseInput(fitnessQuerySchema, query, objectQueryInvalid);
      return reply.type("application/json; charset=utf-8").send(await fitness.list(asked, { principal }));
    });
  };
}
