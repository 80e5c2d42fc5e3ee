// A real OpenID Connect provider (oidc-provider) over TLS on loopback, and a browser that fills in its forms.
import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccountClaims, Provider } from "oidc-provider";
import { openPki } from "../../../platform/pki/index.ts";

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly caFile: string;
  readonly secretFile: string;
  /** Holds another secret. */
  readonly wrongSecretFile: string;
  /** By the name that is typed in. */
  readonly accounts: Map<string, Omit<AccountClaims, "sub">>;
  /** It answers only from then on, because it wants to know where it may send browsers. */
  serve(options: {
    readonly callbackUrl: string;
    readonly isIdTokenSmall?: boolean;
    readonly logoutUrl?: string;
  }): void;
  /** Follows redirects and signs in until it is sent to a URL that begins so, or shows a page without a form. */
  browse(
    url: string,
    options: { readonly login: string; readonly until?: string; readonly cookies?: Cookies },
  ): Promise<string>;
  /** By its own key unless told otherwise. */
  readonly sign: TokenSigner;
  /** Puts another ID token in place of each that it gives out; undefined stops that. */
  forge(change: Forgery | undefined): void;
  /** Every request to it fails until it is called again with false. */
  goDown(isDown: boolean): void;
}

/** Gets what the provider would say, and whether `sign` makes a token by its key or by another. */
export type Forgery = (token: {
  readonly claims: Record<string, unknown>;
  readonly sign: TokenSigner;
}) => string | undefined;

type TokenSigner = (claims: object, options?: { readonly isForeign?: boolean; readonly header?: object }) => string;

/** Those of one browser. */
export type Cookies = Map<string, string>;

export const clientId = "fairlead";
export const wrongSecret = "not-what-they-agreed-on";

export async function startProvider(): Promise<TestProvider> {
  using quiet = new DisposableStack();
  for (const name of ["info", "warn"] as const) quiet.defer(muteProvider(name));
  const pki = await openPki({ dataDir: undefined, trustDomain: "provider.test" });
  const { certPem, keyPem } = await pki.issueServer({ names: ["127.0.0.1"] });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-oidc-"));
  const caFile = join(folder, "ca.pem");
  const secretFile = join(folder, "secret");
  const wrongSecretFile = join(folder, "wrong-secret");
  await writeFile(caFile, pki.caPem);
  await writeFile(secretFile, "  a secret with a line feed \n");
  await writeFile(wrongSecretFile, wrongSecret);
  const accounts = new Map<string, Omit<AccountClaims, "sub">>();
  let handle: ((req: IncomingMessage, res: never) => unknown) | undefined;
  let isDown = false;
  let forgery: Forgery | undefined;
  const signer = createSigner();
  const server = createServer({ cert: certPem, key: keyPem }, (req, res) => {
    if (isDown || !handle) req.socket.destroy();
    else {
      if (forgery && req.url === "/token") replaceToken(res, forgery, signer.sign);
      void handle(req, res as never);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const noise = quiet.move();
  return {
    issuer,
    caFile,
    secretFile,
    wrongSecretFile,
    accounts,
    sign: signer.sign,
    serve(served) {
      handle = createProvider({ issuer, accounts, jwk: signer.jwk, ...served }).callback();
    },
    forge(change) {
      forgery = change;
    },
    goDown(wanted) {
      isDown = wanted;
      server.closeAllConnections();
    },
    browse: (url, options) => browse(url, { ...options, origin: issuer }),
    async [Symbol.asyncDispose]() {
      noise.dispose();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It says often that it isn't set up for production. Returns the way back. */
function muteProvider(name: "info" | "warn"): () => void {
  const original = console[name];
  console[name] = (...words: unknown[]) => {
    if (!String(words[0]).startsWith("oidc-provider ")) original(...words);
  };
  return () => {
    console[name] = original;
  };
}

function createProvider(options: {
  readonly issuer: string;
  readonly accounts: ReadonlyMap<string, Omit<AccountClaims, "sub">>;
  readonly callbackUrl: string;
  readonly isIdTokenSmall?: boolean;
  /** Told of sign-outs, if there is one. */
  readonly logoutUrl?: string;
  readonly jwk: JsonWebKey;
}): Provider {
  const { issuer, accounts, callbackUrl, isIdTokenSmall = false, logoutUrl, jwk } = options;
  const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
  const client = {
    client_id: clientId,
    client_secret: "a secret with a line feed",
    redirect_uris: [callbackUrl],
    grant_types: ["authorization_code", deviceGrant],
    ...(logoutUrl && { backchannel_logout_uri: logoutUrl, backchannel_logout_session_required: true }),
  };
  return new Provider(issuer, {
    clients: [client],
    cookies: { keys: ["test"] },
    jwks: { keys: [jwk as never] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    conformIdTokenClaims: isIdTokenSmall,
    features: { deviceFlow: { enabled: true }, backchannelLogout: { enabled: logoutUrl !== undefined } },
    // Its own refuses certificates that nobody knows, and loopback.
    fetch: async (url, { method = "GET", headers, body } = {}) => {
      const { status, text } = await send(String(url), {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body,
      });
      return new Response(text, { status: status ?? 0 });
    },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => {
      const claims = accounts.get(accountId);
      return claims && { accountId, claims: () => ({ sub: accountId, ...claims }) };
    },
  });
}

let keys: { readonly own: KeyObject; readonly foreign: KeyObject } | undefined;

/** Making RSA keys takes longer than most tests: all providers of a process have the same. */
function createSigner(): { jwk: JsonWebKey; sign: Parameters<Forgery>[0]["sign"] } {
  keys ??= { own: createKey(), foreign: createKey() };
  const { own, foreign } = keys;
  const jwk = { ...own.export({ format: "jwk" }), kid: "own", use: "sig", alg: "RS256" };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  return {
    jwk: jwk as JsonWebKey,
    sign(claims, { isForeign = false, header = {} } = {}) {
      const text = `${encode({ alg: "RS256", kid: "own", ...header })}.${encode(claims)}`;
      return `${text}.${sign("RSA-SHA256", Buffer.from(text), isForeign ? foreign : own).toString("base64url")}`;
    },
  };
}

function createKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function replaceToken(res: ServerResponse, forgery: Forgery, signToken: Parameters<Forgery>[0]["sign"]): void {
  const end = res.end.bind(res) as (body: string) => ServerResponse;
  res.end = ((body: unknown) => {
    const answer = JSON.parse(String(body)) as { id_token?: string };
    const claims = JSON.parse(Buffer.from(answer.id_token?.split(".")[1] ?? "", "base64url").toString() || "{}");
    const text = JSON.stringify({ ...answer, id_token: forgery({ claims, sign: signToken }) });
    res.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  }) as typeof res.end;
}

async function browse(
  start: string,
  options: { readonly login: string; readonly until?: string; readonly cookies?: Cookies; readonly origin: string },
): Promise<string> {
  const { login, until, origin, cookies = new Map() } = options;
  let url = start;
  let body: string | undefined;
  for (let step = 0; step < 30; step += 1) {
    if (until !== undefined && url.startsWith(until)) return url;
    const answer = await visit(url, { body, cookies });
    body = undefined;
    const { location } = answer.headers;
    const form = /<form[\s\S]*?<\/form>/.exec(answer.text)?.[0];
    if (location !== undefined) {
      url = new URL(location, url).href;
    } else if (form !== undefined && answer.status === 200 && new URL(url).origin === origin) {
      const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll("&amp;", "&") ?? url;
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
      const fields = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
      const typed: [string, string][] = answer.text.includes('name="logout"')
        ? [["logout", "yes"]]
        : [
            ["login", login],
            ["password", "x"],
          ];
      body = new URLSearchParams([...fields, ...typed]).toString();
      url = new URL(action, url).href;
    } else {
      return answer.text;
    }
  }
  throw new Error(`no end in sight at ${url}`);
}

async function visit(
  url: string,
  options: { readonly body: string | undefined; readonly cookies: Cookies },
): Promise<PageAnswer> {
  const { body, cookies } = options;
  const { host } = new URL(url);
  const own = [...cookies].filter(([key]) => key.startsWith(`${host} `));
  const headers: Record<string, string> = {
    cookie: own.map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join("; "),
  };
  if (body !== undefined) headers["content-type"] = "application/x-www-form-urlencoded";
  const answer = await send(url, { method: body === undefined ? "GET" : "POST", headers, body });
  for (const line of answer.headers["set-cookie"] ?? []) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(`${host} ${name}`, value);
  }
  return answer;
}

interface PageAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

async function send(
  url: string,
  options: { readonly method?: string; readonly headers: Record<string, string>; readonly body?: unknown },
): Promise<PageAnswer> {
  const { method = "GET", headers, body } = options;
  const client = request(url, { method, headers, rejectUnauthorized: false });
  client.end(body === undefined || body === null ? undefined : String(body));
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, text };
}
