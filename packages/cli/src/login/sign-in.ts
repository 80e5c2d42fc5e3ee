import { createHubClient, type Session } from "@fairlead/contract/client";
import { type CallTimes, createTimedFetch } from "../hub/index.ts";
import type { Terminal } from "../terminal.ts";
import { canAsk } from "../terminal.ts";
import { signInWithBrowser } from "./browser.ts";
import { chooseMethod, methodWished } from "./choose-method.ts";
import { signInWithDevice } from "./device.ts";
import { readToken } from "./token.ts";

export interface LoginWishes {
  readonly hub: string;
  readonly ca: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly oidc?: boolean | undefined;
  readonly device?: boolean | undefined;
  readonly opensBrowser: boolean;
}

/** A session of the hub, by whichever way was asked for or fits. A long-lived token is used this once and not kept. */
export async function signIn(
  wishes: LoginWishes,
  terminal: Terminal,
): Promise<{ readonly session: Session; readonly times: CallTimes }> {
  const { hub, ca, tokenFile, opensBrowser } = wishes;
  const { environment, now, signal, trace } = terminal;
  const { fetch, times } = createTimedFetch({ ca, proxy: environment.proxy, now, trace });
  const client = createHubClient({ baseUrl: hub, fetch });
  const facts = {
    ...wishes,
    hasToken: tokenFile !== undefined || environment.token !== undefined,
    canAsk: canAsk(terminal),
    hasDisplay: environment.hasDisplay,
  };
  // With a token in hand the hub needn't be asked how one signs in.
  const isToken = methodWished(facts) === "token";
  const method = isToken ? "token" : chooseMethod(facts, await client.authMethods({ signal }));
  switch (method) {
    case "token": {
      const token = await readToken(tokenFile, terminal);
      const session = await createHubClient({ baseUrl: hub, token, fetch }).createSession({ signal });
      return { session, times: times() };
    }
    case "browser":
      return { session: await signInWithBrowser({ hub, client, terminal, opensBrowser }), times: times() };
    case "device":
      return { session: await signInWithDevice({ client, terminal }), times: times() };
    default:
      return method satisfies never;
  }
}
