import { browserOperations } from "@fairlead/contract";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
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

    createServe(server, parse)(browserOperations.endSessionsByProvider, async (call) => {
      if (!logout) throw oidcErrors.AUTH_OIDC_OFF();
      const { request } = call;
      const { logout_token: token } = call.body;
      const names = await limit.guard(readRemoteAddress(request), () => logout.end(token));
      request.told = { by: { kind: "identity-provider", name: issuer, uid: issuer }, about: names.join(", ") };
    });
  };
}

/** RFC 6749, section 5.2, lets few characters be in it. */
function toDescription(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}

const maxBodyBytes = 32 * 1024;
