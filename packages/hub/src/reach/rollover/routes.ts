import { type CaStatus, caPaths, retireCaRequestSchema, rotateCaRequestSchema } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { Principal } from "../../people/access/index.ts";
import { parseInput } from "../../platform/server/index.ts";
import { rolloverErrors } from "./errors.ts";
import type { RolloverService } from "./service.ts";

/** Everything under /api/v1/ca. */
export function createRolloverRoutes(options: {
  readonly access: {
    /** Throws ACCESS_DENIED. */
    require(principal: Principal, request: { readonly verb: string; readonly resource: string }): void;
  };
  readonly rollover: RolloverService;
}): FastifyPluginAsync {
  const { access, rollover } = options;
  const fail = (problems: string) => rolloverErrors.CA_REQUEST_INVALID({ problems });

  return async (server) => {
    server.get(caPaths.status, async ({ principal }): Promise<CaStatus> => {
      access.require(principal, { verb: "get", resource });
      return await rollover.status();
    });

    server.post(caPaths.rotate, async ({ principal, body }): Promise<CaStatus> => {
      access.require(principal, { verb: "rotate", resource });
      return await rollover.rotate(parseInput(rotateCaRequestSchema, body ?? {}, fail));
    });

    server.post(caPaths.retire, async ({ principal, body }): Promise<CaStatus> => {
      access.require(principal, { verb: "retire", resource });
      return await rollover.retire(parseInput(retireCaRequestSchema, body ?? {}, fail));
    });
  };
}

const resource = "ca";
