import { paths, type Whoami } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { createAdministration } from "./administration.ts";
import { createExplainRoutes } from "./explain-routes.ts";
import { createFailureLimit } from "./failure-limit.ts";
import { createGrantRoutes } from "./grant-routes.ts";
import type { AccessRoom } from "./service.ts";
import { createRefreshRoutes, createSessionRoutes } from "./session-routes.ts";
import { toWhoami } from "./show.ts";
import { createSubjectRoutes } from "./subject-routes.ts";

export interface AccessRoutes {
  /** For anyone. */
  readonly open: FastifyPluginAsync;
  /** For who has signed in; each route looks itself what they may do. */
  readonly signedIn: FastifyPluginAsync;
}

export function createAccessRoutes(options: { readonly access: AccessRoom; readonly clock: Clock }): AccessRoutes {
  const { access, clock } = options;
  const administration = createAdministration(access, clock);
  const limit = createFailureLimit({ clock, maxPerMinute: 60 });

  return {
    async open(server) {
      await server.register(createRefreshRoutes(access, limit));
    },

    async signedIn(server) {
      server.get(paths.whoami, (request): Whoami => toWhoami(access, request.principal));
      await server.register(createSessionRoutes(access));
      await server.register(createSubjectRoutes(access, administration));
      await server.register(createGrantRoutes(access, administration));
      await server.register(createExplainRoutes(access));
    },
  };
}
