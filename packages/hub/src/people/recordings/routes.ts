import { auditOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { answered, createServe } from "../../platform/server/index.ts";
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

    const serve = createServe(server, parseQuery);
    serve(operations.listRecordings, ({ query }) => recordings.list(query));

    serve(operations.readRecording, async ({ params, reply }) => {
      const recording = await recordings.read(params.requestId);
      void reply.type("application/x-asciicast").header("cache-control", "no-store").send(recording);
      return answered;
    });
  };
}
