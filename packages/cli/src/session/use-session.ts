// The access token of a sign-in, replaced shortly before its end. Several processes at once (kubectl in a loop, a
// Helm plugin) share one file: whoever has its lock refreshes, the others find what he got.

import { isFairleadError } from "@fairlead/kernel";
import {
  type HubContextRef,
  loadHubContext,
  lockConfigFile,
  type NamedHubContext,
  pickHubContext,
  readConfigFile,
  type StoredSession,
  withCa,
  withSession,
  writeConfigFile,
} from "../config/index.ts";
import { hubCodes } from "../hub-codes.ts";
import type { RequestTrace } from "../trace/index.ts";
import { sessionEnded, signedOut } from "./errors.ts";

export interface SessionOptions {
  readonly ref: HubContextRef;
  readonly now: () => number;
  readonly proxy: Record<string, string>;
  readonly signal: AbortSignal;
  /** An access token that the hub has just refused: another is wanted, however long that one seemed good. */
  readonly refused?: string | undefined;
  readonly trace?: RequestTrace | undefined;
}

export interface SignedIn {
  readonly hubContext: NamedHubContext;
  readonly session: StoredSession;
}

export async function useSession(options: SessionOptions): Promise<SignedIn> {
  const found = requireSession(await loadHubContext(options.ref));
  if (isFresh(found.session, options)) return found;

  // While the token is still good, nobody waits for another's refresh.
  const isGood = isUsable(found.session, options);
  let lock: AsyncDisposable;
  try {
    lock = await lockConfigFile(options.ref.file, { waitMs: isGood ? 0 : lockWaitMs });
  } catch (thrown) {
    if (isGood) return found;
    throw thrown;
  }
  await using _ = lock;
  return await refreshUnlessDone(options);
}

async function refreshUnlessDone(options: SessionOptions): Promise<SignedIn> {
  const { ref, signal } = options;
  const config = await readConfigFile(ref.file);
  const found = requireSession(pickHubContext(config, ref) ?? (await loadHubContext(ref)));
  if (!config || isFresh(found.session, options)) return found;

  const { hubContext } = found;
  try {
    // Loaded now only: most calls don't need it.
    const { refreshSession } = await import("./refresh-session.ts");
    const isNeeded = !isUsable(found.session, options);
    const { session, ca } = await refreshSession({
      ...options,
      hubContext,
      refreshToken: found.session.refreshToken,
      isNeeded,
    });
    const next = withSession(config, hubContext.name, session);
    await writeConfigFile(ref.file, ca === undefined ? next : withCa(next, hubContext.name, ca));
    return { hubContext, session };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // Said by the hub itself: a proxy on the way that wants a password knows nothing of the session.
    if (isFairleadError(thrown) && thrown.httpStatus === 401 && !hubCodes.is(thrown, "API_ANSWER_FOREIGN")) {
      await writeConfigFile(ref.file, withSession(config, hubContext.name, undefined));
      throw sessionEnded(hubContext, thrown);
    }
    // The hub is away for a moment: what is here may do for as long.
    if (isUsable(found.session, options)) return found;
    throw thrown;
  }
}

function requireSession(hubContext: NamedHubContext): SignedIn {
  if (!hubContext.session) throw signedOut(hubContext);
  return { hubContext, session: hubContext.session };
}

function isFresh(session: StoredSession, { now, refused }: SessionOptions): boolean {
  return session.accessToken !== refused && now() < session.refreshAt;
}

function isUsable(session: StoredSession, { now, refused }: SessionOptions): boolean {
  return session.accessToken !== refused && now() < session.accessTokenExpiresAt - leastLeftMs;
}

const leastLeftMs = 2_000;
/** Longer than another's refresh can take. */
const lockWaitMs = 45_000;
