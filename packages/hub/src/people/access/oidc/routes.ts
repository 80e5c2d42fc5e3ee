import { browserOperations, signInOperations as operations, pathOf, type Session } from "@fairlead/contract";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { answered, createServe } from "../../../platform/server/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import { parse } from "../body.ts";
import type { AccessRoom } from "../service.ts";
import type { IssuedSession } from "../sessions/index.ts";
import { type FailureLimit, toSession } from "../sign-in/index.ts";
import { oidcErrors } from "./errors.ts";
import { createOidcLogout } from "./logout.ts";
import { createLogoutRoutes } from "./logout-routes.ts";
import { createOidcProvider } from "./provider.ts";
import { createOidcSignIn, type OidcSignIn } from "./sign-in.ts";
import type { OidcSettings } from "./types.ts";
import { createUsedLogouts } from "./used-logouts.ts";

export interface OidcRoutesOptions {
  readonly access: AccessRoom;
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly settings: OidcSettings | undefined;
  readonly hubUrl: () => string;
  /** For attempts that fail. */
  readonly limit: FailureLimit;
  /** For what makes the hub remember something or ask the provider, whether it fails or not. */
  readonly startLimit: FailureLimit;
  /** For logout tokens that don't hold, apart from sign-ins: who fails at these can't keep the provider out. */
  readonly logoutLimit: FailureLimit;
  readonly readRemoteAddress: (request: FastifyRequest) => string;
  readonly onRefused: (error: FairleadError) => void;
}

/** Signing in by the identity provider; all of it for anyone. */
export function createOidcRoutes(options: OidcRoutesOptions): FastifyPluginAsync {
  const { access, db, clock, settings, hubUrl, limit, startLimit, logoutLimit, readRemoteAddress, onRefused } = options;
  const provider = settings && createOidcProvider({ settings, clock });
  const callbackPath = pathOf(browserOperations.finishOidc);
  const begun = provider && createOidcSignIn({ access, db, provider, clock, hubUrl, callbackPath, onRefused });
  const logout =
    provider && begun && createOidcLogout({ access, provider, signIn: begun, used: createUsedLogouts({ db, clock }) });

  return async (server) => {
    const issuer = provider?.issuer;
    await server.register(createLogoutRoutes({ logout, issuer, limit: logoutLimit, readRemoteAddress }));

    const serve = createServe(server, parse);

    serve(operations.authMethods, async () => {
      if (!provider) return { token: true };
      const { issuer } = provider;
      return { token: true, oidc: { issuer, name: new URL(issuer).host, deviceFlow: await provider.hasDeviceFlow() } };
    });

    serve(browserOperations.startOidc, async (call) => {
      const signIn = mustHave(begun);
      startLimit.count(readRemoteAddress(call.request));
      void call.reply.redirect(await signIn.start(call.query), 302);
      return answered;
    });

    serve(browserOperations.finishOidc, async ({ request, reply }) => {
      const signIn = mustHave(begun);
      const at = request.url.indexOf("?");
      const query = at < 0 ? "" : request.url.slice(at);
      void reply.redirect(await limit.guard(readRemoteAddress(request), () => signIn.finish(query)), 302);
      return answered;
    });

    serve(operations.exchangeOidcCode, async (call) => {
      const signIn = mustHave(begun);
      const wanted = call.body;
      const from = readRemoteAddress(call.request);
      return show(call.request, await limit.guard(from, () => signIn.exchange(wanted, from)));
    });

    serve(operations.startDevice, async ({ request }) => {
      const signIn = mustHave(begun);
      startLimit.count(readRemoteAddress(request));
      return await signIn.startDevice();
    });

    serve(operations.pollDevice, async (call) => {
      const signIn = mustHave(begun);
      const { deviceId } = call.body;
      const from = readRemoteAddress(call.request);
      const answer = await limit.guard(from, () => signIn.pollDevice(deviceId, from));
      if (!("pending" in answer)) return show(call.request, answer);
      void call.reply.code(202);
      return answer;
    });
  };

  function show(request: FastifyRequest, issued: IssuedSession): Session {
    // From here on it is known who asks, which the audit record wants to know too.
    request.principal = issued.principal;
    return toSession(access, issued);
  }
}

function mustHave(signIn: OidcSignIn | undefined): OidcSignIn {
  if (!signIn) throw oidcErrors.AUTH_OIDC_OFF();
  return signIn;
}
