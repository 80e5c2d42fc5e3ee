import { auditPaths, recordingListQuerySchema } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import type { Access } from "../access/index.ts";
import { parseQuery } from "../audit/index.ts";
import type { Recordings } from "./service.ts";

export function createRecordingRoutes(options: {
  readonly recordings: Recordings;
  readonly access: Pick<Access, "require">;
}): FastifyPluginAsync {
  const { recordings, access } = options;
  return async (server) => {
    server.addHook("onRequest", async ({ principal }) =>
      access.require(principal, { verb: "get", resource: "recordings" }),
    );

    server.get(auditPaths.recordings, (request) =>
      recordings.list(parseQuery(recordingListQuerySchema, request.query)),
    );

    server.get<{ Params: { requestId: string } }>(`${auditPaths.recordings}/:requestId`, async (request, reply) =>
      reply
        .type("application/x-asciicast")
        .header("cache-control", "no-store")
        .send(await recordings.read(request.params.requestId)),
    );
  };
}
