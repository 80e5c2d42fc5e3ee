import type { Session } from "@fairlead/contract";
import type { StoredSession } from "../config/index.ts";
import type { CallTimes } from "../hub/index.ts";

/** The hub's times in terms of the clock here, which may be minutes off: what counts is how long is left. */
export function toStoredSession(session: Session, { sentAt, hubNow = sentAt }: CallTimes): StoredSession {
  const lifeMs = Date.parse(session.accessTokenExpiresAt) - hubNow;
  const accessTokenExpiresAt = sentAt + lifeMs;
  return {
    id: session.sessionId,
    accessToken: session.accessToken,
    accessTokenExpiresAt,
    refreshAt: accessTokenExpiresAt - Math.min(latestRefreshMs, lifeMs / 4),
    refreshToken: session.refreshToken,
  };
}

/** Time for a request to begin with a token that is good until then. */
const latestRefreshMs = 60_000;
