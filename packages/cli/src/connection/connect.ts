import { createHubClient, type HubClient, type HubFetch, type HubFetchInit } from "@fairlead/contract";
import type { NamedProfile, Profile, ProfileRef } from "../config/index.ts";
import { createHubFetch } from "../hub/index.ts";
import { type SessionOptions, useSession } from "../session/index.ts";
import type { Terminal } from "../terminal.ts";

/** A client for the hub of the profile, in the name of who is signed in. Nothing is sent before its first call. */
export function connectHub(profile: NamedProfile, terminal: Terminal, file: string): HubClient {
  const { environment, now, signal } = terminal;
  const { proxy, token } = environment;
  const fetch = createHubFetch({ ca: profile.ca, proxy });
  if (token !== undefined) return createHubClient({ baseUrl: profile.hub, token, fetch });
  const ref: ProfileRef = { file, name: profile.name, hub: profile.hub };
  return createHubClient({ baseUrl: profile.hub, fetch: withSession(fetch, { ref, now, proxy, signal }) });
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
export function connectOpenly({ hub, ca }: Profile, terminal: Terminal): HubClient {
  return createHubClient({ baseUrl: hub, fetch: createHubFetch({ ca, proxy: terminal.environment.proxy }) });
}
