import { type HubMember, hubOperations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { Principal } from "../../people/access/index.ts";
import { createServe } from "../../platform/server/index.ts";

export function createHubRoutes(options: {
  readonly access: {
    /** Throws ACCESS_DENIED. */
    require(principal: Principal, request: { readonly verb: string; readonly resource: string }): void;
  };
  readonly list: () => Promise<HubMember[]>;
}): FastifyPluginAsync {
  const { access, list } = options;
  return async (server) => {
    createServe(server)(hubOperations.listHubs, async ({ principal }) => {
      access.require(principal, { verb: "list", resource: "hubs" });
      return { items: await list() };
    });
  };
}
