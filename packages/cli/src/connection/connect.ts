import { createHubClient, type HubClient, type HubFetch, type HubFetchInit } from "@fairlead/contract/client";
import { isFairleadError } from "@fairlead/kernel";
import { type HubContext, type HubContextRef, type NamedHubContext, replaceCa } from "../config/index.ts";
import { createHubFetch, isCaOutdated, type LiveSocket, learnCa, openLiveSocket } from "../hub/index.ts";
import { type SessionOptions, useSession } from "../session/index.ts";
import type { Terminal } from "../terminal.ts";

/** A client for the hub of the context, in the name of who is signed in. Nothing is sent before its first call. */
export function connectHub(hubContext: NamedHubContext, terminal: Terminal, file: string): HubClient {
  const { token } = terminal.environment;
  const fetch = createLearningFetch(hubContext, terminal, file);
  if (token !== undefined) return createHubClient({ baseUrl: hubContext.hub, token, fetch });
  return createHubClient({ baseUrl: hubContext.hub, fetch: withSession(fetch, toSession(hubContext, terminal, file)) });
}

/** When the hub says that its CA is followed by another, the context learns that one before the answer is passed on. */
function createLearningFetch(
  hubContext: NamedHubContext,
  { environment, signal, trace }: Terminal,
  file: string,
): HubFetch {
  const { name, hub, ca } = hubContext;
  const { proxy } = environment;
  let told: string | undefined;
  let isDone = false;
  const fetch = createHubFetch({
    ca,
    proxy,
    trace,
    onCa: (text) => {
      told = text;
    },
  });
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (isDone || ca === undefined || told === undefined || !isCaOutdated(ca, told)) return answer;
    isDone = true;
    const learnt = await learnCa({ hub, ca, proxy, signal, trace });
    // A context that can't be written learns it another time.
    if (learnt) await replaceCa(file, { name, before: ca, ca: learnt }).catch(() => undefined);
    return answer;
  };
}

/** Opens a live connection to the hub, in the name of the same. */
export type OpenLive = (options?: { readonly silentMs?: number }) => Promise<LiveSocket>;

export function connectLive(hubContext: NamedHubContext, terminal: Terminal, file: string): OpenLive {
  const { environment, signal, trace } = terminal;
  const { proxy } = environment;
  return async ({ silentMs } = {}) => {
    const open = (token: string): Promise<LiveSocket> =>
      openLiveSocket({ hub: hubContext.hub, ca: hubContext.ca, proxy, token, signal, silentMs, trace });
    if (environment.token !== undefined) return open(environment.token);
    const options = toSession(hubContext, terminal, file);
    const { accessToken } = (await useSession(options)).session;
    try {
      return await open(accessToken);
    } catch (thrown) {
      if (!isFairleadError(thrown) || thrown.httpStatus !== 401) throw thrown;
      return open((await useSession({ ...options, refused: accessToken })).session.accessToken);
    }
  };
}

function toSession(
  hubContext: NamedHubContext,
  { environment, now, signal, trace }: Terminal,
  file: string,
): SessionOptions {
  const ref: HubContextRef = { file, name: hubContext.name, hub: hubContext.hub };
  return { ref, now, proxy: environment.proxy, signal, trace };
}

/** Sends every request with the session's token; one that the hub no longer takes is replaced once. */
function withSession(fetch: HubFetch, options: SessionOptions): HubFetch {
  return async (url, init) => {
    const { session } = await useSession(options);
    const answer = await fetch(url, withToken(init, session.accessToken));
    if (answer.status !== 401) return answer;
    await answer.text();
    const renewed = await useSession({ ...options, refused: session.accessToken });
    return fetch(url, withToken(init, renewed.session.accessToken));
  };
}

function withToken(init: HubFetchInit, token: string): HubFetchInit {
  return { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } };
}

/** A client that says nothing about who asks. */
export function connectOpenly({ hub, ca }: HubContext, terminal: Terminal): HubClient {
  const { environment, trace } = terminal;
  return createHubClient({ baseUrl: hub, fetch: createHubFetch({ ca, proxy: environment.proxy, trace }) });
}
