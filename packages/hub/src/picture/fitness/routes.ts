import { fitnessOperations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { answered, createServe, parseOr } from "../../platform/server/index.ts";
import { objectQueryInvalid } from "../objects/index.ts";
import type { Fitness } from "./service.ts";

export function createFitnessRoutes(fitness: Fitness): FastifyPluginAsync {
  return async (server) => {
    const serve = createServe(server, parseOr(objectQueryInvalid));
    serve(fitnessOperations.listFitness, async ({ principal, query, reply }) => {
      const list = await fitness.list(query, { principal });
      void reply.type("application/json; charset=utf-8").send(list);
      return answered;
    });
  };
}
