import { type HubList, type HubMember, hubPaths } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { Principal } from "../../people/access/index.ts";

/** Everything under /api/v1/hubs. */
export function createHubRoutes(options: {
  readonly access: {
    /** Throws ACCESS_DENIED. */
    require(principal: Principal, request: { readonly verb: string; readonly resource: string }): void;
  };
  readonly list: () => Promise<HubMember[]>;
}): FastifyPluginAsync {
  const { access, list } = options;
  return async (server) => {
    server.get(hubPaths.list, async ({ principal }): Promise<HubList> => {
      access.require(principal, { verb: "list", resource: "hubs" });
      return { items: await list() };
    });
  };
}
