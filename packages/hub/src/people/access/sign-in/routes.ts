import { signInOperations as operations, type SessionInfo } from "@fairlead/contract";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
import { parse } from "../body.ts";
import type { AccessRoom } from "../service.ts";
import { type SessionRecord, signInErrors } from "../sessions/index.ts";
import type { FailureLimit } from "./failure-limit.ts";
import { toSession, toSessionInfo } from "./show.ts";

export interface SessionRoutesOptions {
  readonly access: AccessRoom;
  readonly readRemoteAddress: (request: FastifyRequest) => string;
}

/** For whoever has a refresh token instead of a sign-in. */
export function createRefreshRoutes(
  options: SessionRoutesOptions & { readonly limit: FailureLimit },
): FastifyPluginAsync {
  const { access, limit, readRemoteAddress } = options;

  return async (server) => {
    createServe(server, parse)(operations.refreshSession, async ({ request, body: { refreshToken } }) => {
      const issued = await limit.guard(readRemoteAddress(request), () => access.sessions.refresh(refreshToken));
      // From here on it is known who asks, which the audit record wants to know too.
      request.principal = issued.principal;
      return toSession(access, issued);
    });
  };
}

export function createSessionRoutes(options: SessionRoutesOptions): FastifyPluginAsync {
  const { access, readRemoteAddress } = options;
  const { sessions } = access;

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.createSession, async ({ request }) => {
      const { kind, name, uid, groups, tokenId, scope, sessionId, endsAt } = request.principal;
      if (sessionId !== undefined) throw signInErrors.SESSION_NEEDS_TOKEN();
      const from = {
        method: "token",
        tokenId,
        scope,
        remoteAddress: readRemoteAddress(request),
        noLongerThanMs: endsAt,
      } as const;
      const issued = await sessions.create({ kind, name, uid, groups, ...from });
      return toSession(access, issued);
    });

    serve(operations.listSessions, async ({ principal, query: { user } }) => {
      // While the store is away, those that are known.
      await sessions.catchUp().catch(() => undefined);
      if (user !== undefined && user !== principal.name) {
        access.require(principal, { verb: "list", resource: "sessions" });
        return { items: show(({ name }) => name === user) };
      }
      return { items: show(({ kind, uid }) => kind === principal.kind && uid === principal.uid) };

      function show(matches: Parameters<typeof sessions.end>[0]): SessionInfo[] {
        return sessions
          .list()
          .filter(matches)
          .sort((one, other) => other.createdMs - one.createdMs)
          .map((session) => toSessionInfo(session, principal.sessionId));
      }
    });

    serve(operations.endCurrentSession, async ({ principal: { sessionId } }) => {
      if (sessionId === undefined) throw signInErrors.SESSION_NOT_FOUND();
      await sessions.end(({ id }) => id === sessionId);
    });

    serve(operations.endSession, async ({ principal, params: { id } }) => {
      const mayEndAny = access.may(principal, { verb: "delete", resource: "sessions" });
      const find = (): SessionRecord | undefined => sessions.list().find((session) => session.id === id);
      if (!find()) await sessions.catchUp();
      const found = find();
      const isOwn = found?.kind === principal.kind && found.uid === principal.uid && !principal.scope;
      // The same answer for another's as for none: ids of others are nobody's business.
      if (!found || !(isOwn || mayEndAny)) throw signInErrors.SESSION_NOT_FOUND();
      await sessions.end((session) => session.id === id);
    });
  };
}
