// Logout tokens of OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6.
import { type Clock, isFairleadError, isRecord } from "@fairlead/kernel";
import { createRemoteJWKSet, errors, type JWTVerifyResult, jwtVerify, customFetch as keysFetch } from "jose";
import type { CustomFetch } from "openid-client";
import { oidcErrors } from "./errors.ts";
import type { Logout } from "./types.ts";

export type LogoutReader = (token: string) => Promise<Logout>;

/**
 * Keys are kept for minutes. A missing key is looked for again, twice a minute at most, and once a second where that
 * fails: strangers can cause this.
 */
export function createLogoutReader(options: {
  readonly issuer: string;
  readonly clientId: string;
  readonly keysUrl: string;
  /** As the provider names those of its ID tokens. */
  readonly algorithms: readonly string[] | undefined;
  readonly fetch: CustomFetch;
  readonly clock: Clock;
}): LogoutReader {
  const { issuer, clientId, keysUrl, algorithms = ["RS256"], fetch, clock } = options;
  let failed: { readonly error: unknown; readonly untilMs: number } | undefined;
  const keys = createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: keysTimeoutMs,
    async [keysFetch](url, { headers, ...rest }) {
      if (failed && failed.untilMs > clock.now()) throw failed.error;
      try {
        const answer = await fetch(url, { ...rest, body: undefined, headers: Object.fromEntries(headers) });
        const reason = `it answered for its keys with HTTP ${answer.status}`;
        if (answer.status !== 200) throw oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason });
        return answer;
      } catch (error) {
        failed = { error, untilMs: clock.now() + retryMs };
        throw error;
      }
    },
  });

  return async (token) => {
    const verified = await verify(token);
    return readLogout(verified, { issuer, clientId });
  };

  async function verify(token: string): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        algorithms: algorithms.filter((name) => asymmetric.test(name)),
        requiredClaims: ["exp", "jti"],
        maxTokenAge: maxAgeSeconds,
        clockTolerance: toleranceSeconds,
        currentDate: new Date(clock.now()),
      });
    } catch (thrown) {
      if (isFairleadError(thrown)) throw thrown;
      if (!(thrown instanceof errors.JOSEError)) throw thrown;
      // The provider's keys are at fault here, and not the token.
      if (keyFaults.has(thrown.code)) {
        throw oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason: "its keys can't be read", cause: thrown });
      }
      throw invalid(thrown.message, thrown);
    }
  }
}

/** The provider's name for a sign-in; one without end is as good as none. */
export function readSid(claim: unknown): string | undefined {
  return typeof claim === "string" && claim !== "" && claim.length <= maxNameLength ? claim : undefined;
}

function readLogout(
  { payload, protectedHeader }: JWTVerifyResult,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
): Logout {
  const { typ } = protectedHeader;
  if (typ !== undefined && !types.has(typ.toLowerCase())) throw invalid("it is a token of another type");
  const { sub: subject, jti: id, exp = 0, iat = 0, sid, azp, events } = payload;
  if (azp !== undefined && azp !== clientId) throw invalid('"azp" names another client');
  if (!isRecord(events) || !isRecord(events[logoutEvent])) throw invalid('"events" doesn\'t contain the logout event');
  // Else an ID token could be passed off as one.
  if ("nonce" in payload) throw invalid('it has a "nonce"');
  if (typeof id !== "string" || id === "" || id.length > maxNameLength) throw invalid('"jti" isn\'t a valid ID');
  for (const [name, value] of Object.entries({ sub: subject, sid })) {
    if (value !== undefined && readSid(value) === undefined) throw invalid(`"${name}" isn't a valid ID`);
  }
  if (subject === undefined && sid === undefined) throw invalid('it has neither "sub" nor "sid"');
  // Its age is judged in whole seconds, so it is taken for up to one more: it must be known as used for as long.
  const endsMs = (Math.min(exp, iat + maxAgeSeconds) + toleranceSeconds + 1) * 1_000;
  return { issuer, subject, sid: readSid(sid), id, endsMs };
}

function invalid(reason: string, cause?: unknown): Error {
  return oidcErrors.AUTH_OIDC_LOGOUT_INVALID({ reason, cause });
}

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
/** The last two may name their media type in full. */
const types = new Set(["jwt", "logout+jwt", "application/logout+jwt", "application/jwt"]);
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;
const keyFaults = new Set(["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC", "ERR_JOSE_NOT_SUPPORTED"]);
/** Providers make them for the moment. */
const maxAgeSeconds = 600;
/** As for ID tokens. */
const toleranceSeconds = 30;
const keysTimeoutMs = 10_000;
const retryMs = 1_000;
const maxNameLength = 1_024;
