import {
  type AuthMethods,
  type DevicePending,
  type DeviceStart,
  deviceTokenRequestSchema,
  oidcStartQuerySchema,
  oidcTokenRequestSchema,
  accessPaths as paths,
  type Session,
} from "@fairlead/contract";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
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
  const begun =
    provider && createOidcSignIn({ access, db, provider, clock, hubUrl, callbackPath: paths.oidcCallback, onRefused });
  const logout =
    provider && begun && createOidcLogout({ access, provider, signIn: begun, used: createUsedLogouts({ db, clock }) });

  return async (server) => {
    const issuer = provider?.issuer;
    await server.register(createLogoutRoutes({ logout, issuer, limit: logoutLimit, readRemoteAddress }));

    server.get(paths.authMethods, async (): Promise<AuthMethods> => {
      if (!provider) return { token: true };
      const { issuer } = provider;
      return { token: true, oidc: { issuer, name: new URL(issuer).host, deviceFlow: await provider.hasDeviceFlow() } };
    });

    server.get(paths.oidcStart, async (request, reply) => {
      const signIn = mustHave(begun);
      startLimit.count(readRemoteAddress(request));
      return await reply.redirect(await signIn.start(parse(oidcStartQuerySchema, request.query, "query")), 302);
    });

    server.get(paths.oidcCallback, async (request, reply) => {
      const signIn = mustHave(begun);
      const at = request.url.indexOf("?");
      const query = at < 0 ? "" : request.url.slice(at);
      return await reply.redirect(await limit.guard(readRemoteAddress(request), () => signIn.finish(query)), 302);
    });

    server.post(paths.oidcToken, async (request): Promise<Session> => {
      const signIn = mustHave(begun);
      const wanted = parse(oidcTokenRequestSchema, request.body);
      const from = readRemoteAddress(request);
      return show(request, await limit.guard(from, () => signIn.exchange(wanted, from)));
    });

    server.post(paths.oidcDevice, async (request): Promise<DeviceStart> => {
      const signIn = mustHave(begun);
      startLimit.count(readRemoteAddress(request));
      return await signIn.startDevice();
    });

    server.post(paths.oidcDeviceToken, async (request, reply): Promise<Session | DevicePending> => {
      const signIn = mustHave(begun);
      const { deviceId } = parse(deviceTokenRequestSchema, request.body);
      const from = readRemoteAddress(request);
      const answer = await limit.guard(from, () => signIn.pollDevice(deviceId, from));
      if (!("pending" in answer)) return show(request, answer);
      void reply.code(202);
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
