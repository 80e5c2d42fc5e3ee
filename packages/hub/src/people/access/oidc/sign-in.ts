// From a person whom the provider vouches for to a session, by way of a browser or of a code typed elsewhere.
import { createHash, timingSafeEqual } from "node:crypto";
import type { DevicePending, DeviceStart, OidcStartQuery } from "@fairlead/contract";
import { type Clock, createSecret, type FairleadError, toFairleadError } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { AccessRoom } from "../service.ts";
import type { IssuedSession } from "../sessions/index.ts";
import { oidcErrors } from "./errors.ts";
import { forgetLoginCodes } from "./login-codes.ts";
import type { OidcProvider } from "./provider.ts";
import { checkRedirectUri } from "./redirect-uri.ts";
import type { Logout, Person } from "./types.ts";
import { createWaiting } from "./waiting.ts";

export interface OidcSignIn {
  /** Where the browser goes now. */
  start(query: OidcStartQuery): Promise<string>;
  /** Where it goes in the end, with a code or with an error. Throws AUTH_OIDC_FLOW_UNKNOWN. */
  finish(query: string): Promise<string>;
  exchange(request: { readonly code: string; readonly codeVerifier: string }, from: string): Promise<IssuedSession>;
  startDevice(): Promise<DeviceStart>;
  pollDevice(deviceId: string, from: string): Promise<IssuedSession | DevicePending>;
  /** Login codes that are still to be exchanged. */
  forget(logout: Logout): Promise<void>;
}

export function createOidcSignIn(options: {
  readonly access: AccessRoom;
  readonly db: Kysely<Tables>;
  readonly provider: OidcProvider;
  readonly clock: Clock;
  /** Where people reach the hub. */
  readonly hubUrl: () => string;
  readonly callbackPath: string;
  readonly onRefused: (error: FairleadError) => void;
}): OidcSignIn {
  const { access, db, provider, clock, hubUrl, callbackPath, onRefused } = options;
  const flows = createWaiting<Flow>({ db, clock, kind: "flow", ttlMs: flowTtlMs });
  const codes = createWaiting<LoginCode>({ db, clock, kind: "code", ttlMs: codeTtlMs });
  const devices = createWaiting<Device>({ db, clock, kind: "device", ttlMs: deviceTtlMs });

  return {
    async start({ redirect_uri: asked, state, code_challenge: codeChallenge }) {
      const redirectUri = checkRedirectUri(asked, hubUrl());
      const flow = { redirectUri, state, codeChallenge, nonce: createSecret(), codeVerifier: createSecret() };
      const { nonce, codeVerifier } = flow;
      return await provider.authorizationUrl({
        redirectUri: callbackUrl(),
        nonce,
        codeVerifier,
        state: await flows.put(flow),
      });
    },

    async finish(query) {
      const answer = new URL(`${callbackUrl()}${query}`);
      const key = answer.searchParams.get("state") ?? "";
      const flow = await flows.take(key);
      if (!flow) throw oidcErrors.AUTH_OIDC_FLOW_UNKNOWN();
      const { redirectUri, state, nonce, codeVerifier, codeChallenge } = flow;
      try {
        const person = await provider.finishCode({ callbackUrl: answer, state: key, nonce, codeVerifier });
        const { issuer, subject, sid } = person;
        const code = await codes.put({ person, codeChallenge }, { issuer, subject, sid });
        return withQuery(redirectUri, { code, state });
      } catch (thrown) {
        // The one who waits for the browser should hear of it, rather than wait on.
        const error = toFairleadError(thrown);
        onRefused(error);
        const { code, message } = error;
        const kind = oidcErrors.is(error, "AUTH_OIDC_UNAVAILABLE") ? "temporarily_unavailable" : "access_denied";
        return withQuery(redirectUri, { error: kind, error_description: `${message} (${code})`, state });
      }
    },

    async exchange({ code, codeVerifier }, from) {
      const found = await codes.take(code);
      if (!found || !provesChallenge(codeVerifier, found.codeChallenge)) throw oidcErrors.AUTH_OIDC_CODE_INVALID();
      return await signIn(found.person, "oidc", from);
    },

    async startDevice() {
      const begun = await provider.startDevice();
      const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri } = begun;
      const ttlMs = Math.min(begun.expires_in * 1_000, deviceTtlMs);
      const intervalMs = (begun.interval ?? 5) * 1_000;
      const nowMs = clock.now();
      const endsMs = nowMs + ttlMs;
      return {
        deviceId: await devices.put({ deviceCode }, { endsMs, intervalMs, nextMs: nowMs + intervalMs }),
        userCode,
        verificationUri,
        intervalMs,
        ...(begun.verification_uri_complete === undefined
          ? {}
          : { verificationUriComplete: begun.verification_uri_complete }),
        expiresAt: new Date(endsMs).toISOString(),
      };
    },

    async pollDevice(deviceId, from) {
      const turn = await devices.peek(deviceId);
      if (!turn) throw oidcErrors.AUTH_OIDC_DEVICE_ENDED();
      let { intervalMs } = turn;
      // The provider would be angry at who asks too often; two who ask at once, at whichever hubs, are one.
      if (!turn.isDue) return { pending: true, intervalMs };
      let person: Awaited<ReturnType<OidcProvider["pollDevice"]>>;
      try {
        person = await provider.pollDevice(turn.value.deviceCode);
      } catch (thrown) {
        if (toFairleadError(thrown).retryable) await wait();
        else await devices.take(deviceId);
        throw thrown;
      }
      if (typeof person === "string") {
        if (person === "slow-down") intervalMs += 5_000;
        await wait();
        return { pending: true, intervalMs };
      }
      await devices.take(deviceId);
      return await signIn(person, "device", from);

      function wait(): Promise<void> {
        return devices.due(deviceId, { atMs: clock.now() + intervalMs, intervalMs });
      }
    },

    forget: (logout) => forgetLoginCodes(db, logout),
  };

  async function signIn(person: Person, method: "oidc" | "device", remoteAddress: string): Promise<IssuedSession> {
    const { users, sessions } = access;
    const { user, renamedFrom } = await users.recordSignIn(person);
    const { name, uid, groups } = user;
    if (renamedFrom !== undefined) await sessions.end((one) => one.uid === uid && one.name === renamedFrom);
    return await sessions.create({ kind: "user", name, uid, groups, method, remoteAddress, oidcSid: person.sid });
  }

  function callbackUrl(): string {
    return `${hubUrl()}${callbackPath}`;
  }
}

interface Flow {
  readonly redirectUri: string;
  /** The client's own. */
  readonly state: string;
  readonly codeChallenge: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

interface LoginCode {
  readonly person: Person;
  readonly codeChallenge: string;
}

interface Device {
  readonly deviceCode: string;
}

/** RFC 7636, section 4.6, S256. */
function provesChallenge(codeVerifier: string, codeChallenge: string): boolean {
  const proven = createHash("sha256").update(codeVerifier).digest();
  const wanted = Buffer.from(codeChallenge, "base64url");
  return wanted.length === proven.length && timingSafeEqual(proven, wanted);
}

function withQuery(url: string, query: Record<string, string>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return target.href;
}

const flowTtlMs = 10 * 60_000;
const codeTtlMs = 60_000;
const deviceTtlMs = 30 * 60_000;
