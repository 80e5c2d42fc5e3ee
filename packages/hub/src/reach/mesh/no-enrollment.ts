import { isFairleadError } from "@fairlead/kernel";
import { enrollPath } from "@fairlead/protocol";
import type { FastifyPluginAsync } from "fastify";
import { identityErrors } from "../identity/index.ts";
import type { RefusedAttempt } from "./record-refusal.ts";

/** In the place of the route for enrollment: agents are known by their mesh alone. The body isn't read. */
export function createNoEnrollment(options: {
  readonly onRefused: (attempt: RefusedAttempt) => void;
}): FastifyPluginAsync {
  return async (server) => {
    server.addHook("onError", async ({ raw: req, ip: remoteAddress }, _reply, error) => {
      if (isFairleadError(error)) options.onRefused({ req, remoteAddress, path: enrollPath, error });
    });
    server.post(enrollPath, {
      async onRequest() {
        throw identityErrors.IDENTITY_BY_MESH();
      },
      handler: async () => undefined,
    });
  };
}
