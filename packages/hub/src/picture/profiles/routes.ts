import {
  profileNameSchema,
  profilePaths,
  putProfileChoiceRequestSchema,
  putProfileRequestSchema,
} from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { parseInput } from "../../platform/server/index.ts";
import { profileErrors } from "./errors.ts";
import type { Profiles } from "./service.ts";

export function createProfileRoutes(profiles: Profiles): FastifyPluginAsync {
  return async (server) => {
    server.get(profilePaths.profiles, ({ principal }) => profiles.list(principal));

    server.get<NameParams>("/api/v1/profiles/:name", ({ principal, params }) => profiles.get(principal, params.name));

    server.put<NameParams>("/api/v1/profiles/:name", { bodyLimit: bodyLimitBytes }, ({ principal, params, body }) => {
      const name = parseInput(profileNameSchema, params.name, requestInvalid);
      return profiles.put(principal, name, parseInput(putProfileRequestSchema, body, requestInvalid));
    });

    server.delete<NameParams>("/api/v1/profiles/:name", async ({ principal, params }, reply) => {
      await profiles.remove(principal, params.name);
      return await reply.code(204).send();
    });

    server.get(profilePaths.choices, ({ principal }) => profiles.listChoices(principal));

    server.get<NameParams>(choicePath, ({ principal, params }) => profiles.getChoice(principal, params.name));

    server.put<NameParams>(choicePath, ({ principal, params, body }) =>
      profiles.choose(principal, params.name, parseInput(putProfileChoiceRequestSchema, body, requestInvalid)),
    );
  };
}

function requestInvalid(problems: string): FairleadError {
  return profileErrors.PROFILE_REQUEST_INVALID({ problems });
}

interface NameParams {
  Params: { name: string };
}

const choicePath = "/api/v1/clusters/:name/profile";
/** As JSON a character may take six bytes. */
const bodyLimitBytes = 512 * 1024;
