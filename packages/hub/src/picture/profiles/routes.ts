import { profileOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe, parseOr } from "../../platform/server/index.ts";
import { profileErrors } from "./errors.ts";
import type { Profiles } from "./service.ts";

export function createProfileRoutes(profiles: Profiles): FastifyPluginAsync {
  const parse = parseOr((problems) => profileErrors.PROFILE_REQUEST_INVALID({ problems }));

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.listProfiles, ({ principal }) => profiles.list(principal));
    serve(operations.getProfile, ({ principal, params }) => profiles.get(principal, params.name));
    serve(operations.putProfile, ({ principal, params, body }) => profiles.put(principal, params.name, body), {
      bodyLimitBytes,
    });
    serve(operations.removeProfile, ({ principal, params }) => profiles.remove(principal, params.name));

    serve(operations.listProfileChoices, ({ principal }) => profiles.listChoices(principal));
    serve(operations.getProfileChoice, ({ principal, params }) => profiles.getChoice(principal, params.name));
    serve(operations.putProfileChoice, ({ principal, params, body }) => profiles.choose(principal, params.name, body));
  };
}

/** As JSON a character may take six bytes. */
const bodyLimitBytes = 512 * 1024;
