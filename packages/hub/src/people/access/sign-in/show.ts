// Principals and sessions as the API shows them.
import type { AccessBinding, Session, SessionInfo, Whoami } from "@fairlead/contract";
import type { Principal } from "../policy/index.ts";
import type { AccessRoom } from "../service.ts";
import type { IssuedSession, SessionRecord } from "../sessions/index.ts";

export function toWhoami({ grants }: AccessRoom, principal: Principal): Whoami {
  const { name, kind, groups, sessionId, endsAt } = principal;
  return {
    name,
    kind,
    groups: [...groups],
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(endsAt === undefined ? {} : { endsAt: toText(endsAt) }),
    bindings: grants.of(principal).map(({ binding }) => ({
      role: binding.role,
      clusters: formatClusters(binding.clusters),
      ...(binding.endsAt === undefined ? {} : { endsAt: binding.endsAt }),
    })),
  };
}

export function toSession(access: AccessRoom, issued: IssuedSession): Session {
  const { sessionId, accessToken, accessExpiresMs, refreshToken, refreshExpiresMs, principal } = issued;
  return {
    sessionId,
    accessToken,
    refreshToken,
    accessTokenExpiresAt: toText(accessExpiresMs),
    refreshTokenExpiresAt: toText(refreshExpiresMs),
    principal: toWhoami(access, principal),
  };
}

export function toSessionInfo(session: SessionRecord, current: string | undefined): SessionInfo {
  const { id, name, kind, method, remoteAddress, createdMs, refreshedMs, endsMs } = session;
  return {
    id,
    user: name,
    kind,
    method,
    isCurrent: id === current,
    createdAt: toText(createdMs),
    refreshedAt: toText(refreshedMs),
    endsAt: toText(endsMs),
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  };
}

export function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}

function formatClusters(clusters: AccessBinding["clusters"]): string {
  if ("all" in clusters) return "all";
  if ("names" in clusters) return clusters.names.join(", ");
  const { matchLabels } = clusters.selector;
  return Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}
