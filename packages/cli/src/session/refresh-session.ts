import { createHubClient } from "@fairlead/contract/client";
import { isFairleadError, onAbort } from "@fairlead/kernel";
import type { NamedHubContext, StoredSession } from "../config/index.ts";
import { pause } from "../files/index.ts";
import { createTimedFetch, isCaOutdated, learnCa } from "../hub/index.ts";
import type { RequestTrace } from "../trace/index.ts";
import { toStoredSession } from "./stored.ts";

export interface RefreshOptions {
  readonly hubContext: NamedHubContext;
  readonly refreshToken: string;
  readonly now: () => number;
  readonly proxy: Record<string, string>;
  readonly signal: AbortSignal;
  /** True when nothing else will do: then a slow hub is waited for. */
  readonly isNeeded: boolean;
  readonly trace?: RequestTrace | undefined;
}

/**
 * Exchanges the refresh token for the next pair. When a reply is lost on the way the hub has already changed tokens;
 * it takes the one before for a minute more, so it is asked again at once rather than at the next command.
 */
export async function refreshSession(options: RefreshOptions): Promise<Refreshed> {
  // Ctrl-C must not lose the reply either: what is under way may end, if it does so soon.
  const signal = abortLater(options.signal, graceMs);
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(options, signal);
    } catch (thrown) {
      const isWorthIt = isFairleadError(thrown) && thrown.retryable && attempt < attempts;
      if (!isWorthIt || options.signal.aborted) throw thrown;
    }
    await pause(attempt * 300, options.signal);
  }
}

export interface Refreshed {
  readonly session: StoredSession;
  /** The hub's CAs, when they are others than the context's. */
  readonly ca: string | undefined;
}

async function ask(options: RefreshOptions, signal: AbortSignal): Promise<Refreshed> {
  const { hubContext, refreshToken, now, proxy, trace } = options;
  const timeoutMs = options.isNeeded ? 10_000 : 3_000;
  const { fetch, times } = createTimedFetch({ ca: hubContext.ca, proxy, now, timeoutMs, trace });
  const session = await createHubClient({ baseUrl: hubContext.hub, fetch }).refreshSession(
    { refreshToken },
    { signal },
  );
  const { toldCa } = times();
  const isOutdated = hubContext.ca !== undefined && toldCa !== undefined && isCaOutdated(hubContext.ca, toldCa);
  const ca = isOutdated ? await learnCa({ hub: hubContext.hub, ca: hubContext.ca, proxy, signal, trace }) : undefined;
  return { session: toStoredSession(session, times()), ca };
}

function abortLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  onAbort(signal, (reason) => setTimeout(() => later.abort(reason), delayMs).unref());
  return later.signal;
}

const attempts = 3;
const graceMs = 2_000;
