import type { IncomingMessage } from "node:http";
import { hubOperations } from "@fairlead/contract";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { createServe } from "../../platform/server/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import {
  createAccessRequestRoutes,
  createAccessRequests,
  createAdministration,
  createGrantRoutes,
  createSubjectRoutes,
} from "./administration/index.ts";
import { createExplainRoutes } from "./explain/index.ts";
import { createOidcRoutes, type OidcSettings } from "./oidc/index.ts";
import type { AccessRoom } from "./service.ts";
import { createFailureLimit, createRefreshRoutes, createSessionRoutes, toWhoami } from "./sign-in/index.ts";

export interface AccessRoutes {
  /** For anyone. */
  readonly open: FastifyPluginAsync;
  /** For who has signed in; each route looks itself what they may do. */
  readonly signedIn: FastifyPluginAsync;
}

export function createAccessRoutes(options: {
  readonly access: AccessRoom;
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly oidc: OidcSettings | undefined;
  /** Where people reach the hub; a function, because a port of 0 is known only after listening. */
  readonly hubUrl: () => string;
  readonly readRemoteAddress: (request: IncomingMessage) => string;
  /** For sign-ins that come to nothing on their way through a browser, which shows nobody the reason. */
  readonly onRefused: (error: FairleadError) => void;
}): AccessRoutes {
  const { access, db, clock, oidc: settings, hubUrl, onRefused } = options;
  const readRemoteAddress = (request: FastifyRequest): string => options.readRemoteAddress(request.raw);
  const administration = createAdministration(access, clock);
  const limit = createFailureLimit({ clock, maxPerMinute: 60 });
  const startLimit = createFailureLimit({ clock, maxPerMinute: 60 });
  const logoutLimit = createFailureLimit({ clock, maxPerMinute: 60 });

  return {
    async open(server) {
      server.addHook("onSend", forbidCaching);
      server.addHook("onSend", askForPatience);
      await server.register(createRefreshRoutes({ access, limit, readRemoteAddress }));
      const shared = { access, db, clock, settings, hubUrl, readRemoteAddress, onRefused };
      await server.register(createOidcRoutes({ ...shared, limit, startLimit, logoutLimit }));
    },

    async signedIn(server) {
      server.addHook("onSend", forbidCaching);
      createServe(server)(hubOperations.whoami, ({ principal }) => toWhoami(access, principal));
      await server.register(createSessionRoutes({ access, readRemoteAddress }));
      await server.register(createSubjectRoutes(access, administration));
      await server.register(createGrantRoutes(access, administration));
      await server.register(createExplainRoutes(access));
      await server.register(createAccessRequestRoutes(access, createAccessRequests(access, clock)));
    },
  };
}

/** Answers hold tokens, and who may do what. */
async function forbidCaching(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

async function askForPatience(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.statusCode === 429) reply.header("retry-after", "60");
}
