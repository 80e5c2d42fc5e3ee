// The hub as a relying party. The library does the checks of the protocol: issuer, audience, times, nonce, state, PKCE
// and signatures; here is when it is asked, and what its refusals are called.
import { readFile } from "node:fs/promises";
import { type Clock, isFairleadError, sleep } from "@fairlead/kernel";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  type DeviceAuthorizationResponse,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  genericGrantRequest,
  initiateDeviceAuthorization,
  None,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from "openid-client";
import { oidcErrors } from "./errors.ts";
import { createHttpsFetch } from "./https-fetch.ts";
import { createLogoutReader, type LogoutReader, readSid } from "./logout-token.ts";
import { readPerson } from "./person.ts";
import type { Logout, OidcSettings, Person } from "./types.ts";

export interface OidcProvider {
  readonly issuer: string;
  /** True when it has a device flow; false as long as it can't be asked. */
  hasDeviceFlow(): Promise<boolean>;
  authorizationUrl(request: {
    readonly redirectUri: string;
    readonly state: string;
    readonly nonce: string;
    readonly codeVerifier: string;
  }): Promise<string>;
  /** `callbackUrl` is what the provider sent the browser to. */
  finishCode(answer: {
    readonly callbackUrl: URL;
    readonly state: string;
    readonly nonce: string;
    readonly codeVerifier: string;
  }): Promise<Person>;
  startDevice(): Promise<DeviceAuthorizationResponse>;
  /** Looks once. */
  pollDevice(deviceCode: string): Promise<Person | "pending" | "slow-down">;
  /** Throws AUTH_OIDC_LOGOUT_INVALID. */
  readLogout(token: string): Promise<Logout>;
}

export function createOidcProvider(options: { readonly settings: OidcSettings; readonly clock: Clock }): OidcProvider {
  const { settings, clock } = options;
  const { issuer } = settings;
  const scope = settings.scopes.join(" ");
  let known: { readonly configuration: Promise<Configuration>; readonly untilMs: number } | undefined;
  const logoutReaders = new WeakMap<Configuration, LogoutReader>();

  return {
    issuer,

    async hasDeviceFlow() {
      const patience = new AbortController();
      const late = sleep(impatientMs, { signal: patience.signal }).catch(() => undefined);
      const configuration = await Promise.race([configure().catch(() => undefined), late]);
      patience.abort();
      return configuration?.serverMetadata().device_authorization_endpoint !== undefined;
    },

    async authorizationUrl({ redirectUri, state, nonce, codeVerifier }) {
      const configuration = await configure();
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      });
      return url.href;
    },

    async finishCode({ callbackUrl, state, nonce, codeVerifier }) {
      const configuration = await configure();
      return await translate(async () => {
        const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return await toPerson(configuration, tokens);
      });
    },

    async startDevice() {
      const configuration = await configure();
      if (configuration.serverMetadata().device_authorization_endpoint === undefined)
        throw oidcErrors.AUTH_OIDC_DEVICE_UNSUPPORTED();
      return await translate(() => initiateDeviceAuthorization(configuration, { scope }));
    },

    async pollDevice(deviceCode) {
      const configuration = await configure();
      try {
        const tokens = await genericGrantRequest(configuration, deviceGrant, { device_code: deviceCode });
        return await translate(() => toPerson(configuration, tokens));
      } catch (thrown) {
        const { error } = thrown as { error?: unknown };
        if (error === "authorization_pending") return "pending";
        if (error === "slow_down") return "slow-down";
        throw toCoded(thrown);
      }
    },

    async readLogout(token) {
      const read = logoutReaders.get(await configure());
      if (!read) throw oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason: "it doesn't publish its keys" });
      return await read(token);
    },
  };

  /** The first who needs it asks the provider; an answer is good for hours, a failure for a second. */
  function configure(): Promise<Configuration> {
    if (known && known.untilMs > clock.now()) return known.configuration;
    const configuration = translate(discover);
    const mine = { configuration, untilMs: clock.now() + discoveredMs };
    known = mine;
    configuration.catch(() => {
      if (known === mine) known = { configuration, untilMs: clock.now() + retryMs };
    });
    return configuration;
  }

  async function discover(): Promise<Configuration> {
    const { clientId, clientSecretFile, caFile } = settings;
    const secret = clientSecretFile === undefined ? undefined : (await read(clientSecretFile)).trim();
    const caPem = caFile === undefined ? undefined : await read(caFile);
    const authentication = secret === undefined ? None() : ClientSecretBasic(secret);
    const fetch = createHttpsFetch({ issuer, caPem });
    const configuration = await discovery(new URL(issuer), clientId, undefined, authentication, {
      [customFetch]: fetch,
      timeout: requestTimeoutSeconds,
    });
    enableNonRepudiationChecks(configuration);
    const { jwks_uri: keysUrl, id_token_signing_alg_values_supported: algorithms } = configuration.serverMetadata();
    if (keysUrl !== undefined)
      logoutReaders.set(configuration, createLogoutReader({ issuer, clientId, keysUrl, algorithms, fetch, clock }));
    return configuration;
  }

  async function read(path: string): Promise<string> {
    try {
      return await readFile(path, "utf8");
    } catch (cause) {
      throw oidcErrors.AUTH_OIDC_UNAVAILABLE({
        issuer,
        reason: `${path} can't be read (${(cause as NodeJS.ErrnoException).code})`,
        cause,
      });
    }
  }

  async function toPerson(
    configuration: Configuration,
    tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  ): Promise<Person> {
    const claims = tokens.claims();
    if (!claims) throw oidcErrors.AUTH_OIDC_ANSWER_INVALID({ reason: "it contains no ID token" });
    const { groupsClaim, usernameClaim = "email", assumesEmailVerified } = settings;
    const isAsked = usernameClaim === "email" && !assumesEmailVerified;
    const wanted = [groupsClaim, usernameClaim, ...(isAsked ? ["email_verified"] : [])];
    const isWhole = wanted.every((claim) => claim in claims);
    const sid = readSid(claims["sid"]);
    if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined)
      return { ...readPerson(claims, settings), sid };
    // Many providers keep the ID token small and tell the rest here.
    const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // The provider's word on another address says nothing of this one.
    const isOther = "email" in claims && more["email"] !== claims["email"];
    return { ...readPerson({ ...more, ...(isOther && { email_verified: undefined }), ...claims }, settings), sid };
  }

  async function translate<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      throw toCoded(thrown);
    }
  }

  function toCoded(thrown: unknown): unknown {
    if (isFairleadError(thrown)) return thrown;
    const {
      cause,
      code,
      error,
      error_description: description,
    } = thrown as {
      readonly cause?: unknown;
      readonly code?: unknown;
      readonly error?: unknown;
      readonly error_description?: unknown;
    };
    if (isFairleadError(cause)) return cause;
    // The secret may have been replaced: it is read again for the next one.
    if (error === "invalid_client" || code === challenged) known = undefined;
    if (typeof error === "string") {
      const text = typeof description === "string" ? ` (${description.slice(0, 200)})` : "";
      return oidcErrors.AUTH_OIDC_REFUSED({ reason: `${error.slice(0, 100)}${text}`, cause: thrown });
    }
    // A 401 of the token endpoint is about the hub, never about the user.
    if (code === challenged) return oidcErrors.AUTH_OIDC_REFUSED({ reason: "invalid_client", cause: thrown });
    if (code === "OAUTH_TIMEOUT")
      return oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason: "it didn't respond in time", cause: thrown });
    // The library's own words, which quote nothing of the answer.
    const why = cause instanceof Error ? `: ${cause.message.slice(0, 200)}` : "";
    if (typeof code === "string")
      return oidcErrors.AUTH_OIDC_ANSWER_INVALID({ reason: `${code}${why}`, cause: thrown });
    return thrown;
  }
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const challenged = "OAUTH_WWW_AUTHENTICATE_CHALLENGE";
const discoveredMs = 6 * 3_600_000;
const retryMs = 1_000;
const requestTimeoutSeconds = 10;
/** A question about the ways to sign in doesn't wait for a provider that hangs. */
const impatientMs = 3_000;
