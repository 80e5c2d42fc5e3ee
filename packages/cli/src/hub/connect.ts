import { createHubClient, type HubClient } from "@fairlead/contract";
import type { Profile } from "../config/index.ts";
import type { Terminal } from "../terminal.ts";
import { createHubFetch } from "./http.ts";

/** A client for the hub of the profile. Nothing is sent before its first call. */
export function connectHub(profile: Profile, terminal: Terminal): HubClient {
  return createHubClient({
    baseUrl: profile.hub,
    token: profile.token,
    fetch: createHubFetch({ ca: profile.ca, proxy: terminal.environment.proxy }),
  });
}
