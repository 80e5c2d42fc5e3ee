import { logoutRequestSchema, accessPaths as paths } from "@fairlead/contract";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { parse } from "../body.ts";
import type { FailureLimit } from "../sign-in/index.ts";
import { oidcErrors } from "./errors.ts";
import type { OidcLogout } from "./logout.ts";

/** The identity provider's own word, which it proves by its signature; anyone may knock. */
export function createLogoutRoutes(options: {
  /** Undefined: there is no provider. */
  readonly logout: OidcLogout | undefined;
  readonly issuer: string | undefined;
  readonly limit: FailureLimit;
  readonly readRemoteAddress: (request: FastifyRequest) => string;
}): FastifyPluginAsync {
  const { logout, issuer = "", limit, readRemoteAddress } = options;

  return async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: maxBodyBytes },
      async (_request: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
    );

    // Section 2.8: refusals have the form of OAuth's, and whatever went wrong is a 400.
    server.addHook("onSend", async (request, reply, payload) => {
      const { failure } = request;
      if (failure === undefined || reply.statusCode < 400) return payload;
      const isOurs = reply.statusCode >= 500;
      if (reply.statusCode !== 429) reply.code(400);
      reply.type("application/json");
      return JSON.stringify({
        error: isOurs || reply.statusCode === 429 ? "temporarily_unavailable" : "invalid_request",
        error_description: toDescription(`${failure.message} (${failure.code})`),
      });
    });

    server.post(paths.oidcLogout, async (request, reply) => {
      if (!logout) throw oidcErrors.AUTH_OIDC_OFF();
      const { logout_token: token } = parse(logoutRequestSchema, request.body);
      const names = await limit.guard(readRemoteAddress(request), () => logout.end(token));
      request.told = { by: { kind: "identity-provider", name: issuer, uid: issuer }, about: names.join(", ") };
      return await reply.code(200).send();
    });
  };
}

/** RFC 6749, section 5.2, lets few characters be in it. */
function toDescription(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}

const maxBodyBytes = 32 * 1024;
