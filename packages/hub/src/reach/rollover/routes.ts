import { hubOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { Principal } from "../../people/access/index.ts";
import { createServe, parseOr } from "../../platform/server/index.ts";
import { rolloverErrors } from "./errors.ts";
import type { RolloverService } from "./service.ts";

export function createRolloverRoutes(options: {
  readonly access: {
    /** Throws ACCESS_DENIED. */
    require(principal: Principal, request: { readonly verb: string; readonly resource: string }): void;
  };
  readonly rollover: RolloverService;
}): FastifyPluginAsync {
  const { access, rollover } = options;
  const parse = parseOr((problems) => rolloverErrors.CA_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.getCa, async ({ principal }) => {
      access.require(principal, { verb: "get", resource });
      return await rollover.status();
    });

    serve(operations.rotateCa, async (call) => {
      access.require(call.principal, { verb: "rotate", resource });
      return await rollover.rotate(call.body);
    });

    serve(operations.retireCa, async (call) => {
      access.require(call.principal, { verb: "retire", resource });
      return await rollover.retire(call.body);
    });
  };
}

const resource = "ca";
