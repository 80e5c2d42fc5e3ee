import { createHash, randomBytes } from "node:crypto";
import { type HubClient, pathOf, type Session } from "@fairlead/contract/client";
import type { Terminal } from "../terminal.ts";
import { waitAtMost } from "./deadline.ts";

export interface BrowserSignIn {
  readonly hub: string;
  readonly client: HubClient;
  readonly terminal: Terminal;
  readonly opensBrowser: boolean;
}

/** The code flow with PKCE: the hub sends the browser to the provider and back here, with a code for one session. */
export async function signInWithBrowser(options: BrowserSignIn): Promise<Session> {
  const { client, terminal } = options;
  const state = randomBytes(32).toString("base64url");
  const codeVerifier = randomBytes(32).toString("base64url");
  // Loaded now only: a server takes longer to load than all other parts of a sign-in.
  const { startLoopback } = await import("./loopback.ts");
  await using loopback = await startLoopback({ state });
  const url = startUrl(options.hub, { redirectUri: loopback.redirectUri, state, codeVerifier });

  terminal.stderr.write(`Sign in with your browser:\n\n  ${url}\n\n`);
  if (options.opensBrowser) terminal.openBrowser(url);
  const code = await waitAtMost(loopback.code, { timeoutMs, after: "5 minutes", signal: terminal.signal });
  return await client.exchangeOidcCode({ code, codeVerifier }, { signal: terminal.signal });
}

const timeoutMs = 5 * 60_000;

function startUrl(hub: string, options: { redirectUri: string; state: string; codeVerifier: string }): string {
  const query = new URLSearchParams({
    redirect_uri: options.redirectUri,
    state: options.state,
    code_challenge: createHash("sha256").update(options.codeVerifier).digest("base64url"),
  });
  return `${hub}${pathOf("startOidc")}?${query.toString()}`;
}
