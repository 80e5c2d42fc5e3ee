import { linkChallengePath } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { LinkProofs } from "./proofs.ts";

/** The route is on the agents' listener and open to all: a challenge is worth nothing without an agent's key. */
export function createChallengeRoutes(options: { readonly proofs: LinkProofs }): FastifyPluginAsync {
  return async (server) => {
    server.get(linkChallengePath, (_request, reply) => {
      reply.header("cache-control", "no-store");
      return options.proofs.challenge();
    });
  };
}
