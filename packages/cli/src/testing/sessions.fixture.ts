// Sign-in as the contract has it: sessions whose tokens rotate, a browser flow and a device flow that tests finish.
import { createHash } from "node:crypto";
import type { AuthMethods, Session, Whoami } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";

export interface FakeSessions {
  /** How long an access token is good. */
  accessTtlMs: number;
  methods: AuthMethods;
  principal: Whoami;
  /** The next answers of the device flow; afterwards the session. */
  readonly devicePolls: ("pending" | "slow" | "refused")[];
  /** Which code was given out for which challenge. */
  readonly codes: Map<string, string>;
  /** Access tokens that are good, each with its session. */
  readonly accessTokens: Map<string, string>;
  /** Ends every session. */
  endAll(): void;
  /** A session like one that was signed in. */
  open(): Session;
  /** Undefined: not about signing in. */
  answer(line: string, authorization: string | undefined, body: string): FakeAnswer | undefined;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** Instead of a body: an answer of lines. */
  readonly lines?: readonly string[];
}

export function createFakeSessions(options: {
  readonly tokens: readonly string[];
  readonly now: () => number;
}): FakeSessions {
  const refreshTokens = new Map<string, string>();
  let made = 0;
  const sessions: FakeSessions = {
    accessTtlMs: 900_000,
    methods: { token: true },
    principal: { name: "admin", kind: "admin-token", groups: [], bindings: [{ role: "admin", clusters: "all" }] },
    devicePolls: [],
    codes: new Map(),
    accessTokens: new Map(),
    endAll() {
      sessions.accessTokens.clear();
      refreshTokens.clear();
    },
    open: () => issue(`ses_${++made}`),
    answer: (line, authorization, body) => answer(line, authorization?.replace(/^Bearer /, ""), body),
  };
  return sessions;

  function issue(sessionId: string): Session {
    const [accessToken, refreshToken] = [`fls_${++made}`, `flr_${made}`];
    sessions.accessTokens.set(accessToken, sessionId);
    refreshTokens.set(refreshToken, sessionId);
    return {
      sessionId,
      accessToken,
      accessTokenExpiresAt: new Date(options.now() + sessions.accessTtlMs).toISOString(),
      refreshToken,
      refreshTokenExpiresAt: new Date(options.now() + 8 * 3_600_000).toISOString(),
      principal: { ...sessions.principal, sessionId },
    };
  }

  function answer(line: string, bearer: string | undefined, body: string): FakeAnswer | undefined {
    const fields = (): Record<string, string> => JSON.parse(body);
    switch (line) {
      case "GET /api/v1/auth/methods":
        return { status: 200, body: sessions.methods };
      case "POST /api/v1/sessions":
        if (!options.tokens.includes(bearer ?? "")) throw refuse("AUTH_INVALID", "The token isn't known.");
        return { status: 201, body: sessions.open() };
      case "POST /api/v1/sessions/refresh": {
        const sessionId = refreshTokens.get(fields()["refreshToken"] ?? "");
        if (sessionId === undefined) throw refuse("AUTH_SESSION_ENDED", "The session has ended.");
        return { status: 200, body: issue(sessionId) };
      }
      case "DELETE /api/v1/sessions/current":
        if (!sessions.accessTokens.has(bearer ?? "")) throw refuse("AUTH_INVALID", "The token isn't known.");
        sessions.endAll();
        return { status: 204 };
      case "POST /api/v1/auth/oidc/token": {
        const { code = "", codeVerifier = "" } = fields();
        const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
        if (sessions.codes.get(code) !== challenge) throw refuse("AUTH_CODE_INVALID", "The code isn't known.");
        return { status: 200, body: sessions.open() };
      }
      case "POST /api/v1/auth/oidc/device":
        return { status: 200, body: deviceStart(options.now()) };
      case "POST /api/v1/auth/oidc/device/token":
        return answerPoll(sessions.devicePolls.shift());
      default:
        return undefined;
    }
  }

  function answerPoll(poll: "pending" | "slow" | "refused" | undefined): FakeAnswer {
    if (poll === "refused") throw refuse("AUTH_DEVICE_REFUSED", "The sign-in was refused.");
    if (poll === undefined) return { status: 200, body: sessions.open() };
    return { status: 202, body: { pending: true, intervalMs: poll === "slow" ? 10_000 : 5_000 } };
  }
}

function deviceStart(now: number): object {
  return {
    deviceId: "dev_1",
    userCode: "WDJB-MJHT",
    verificationUri: "https://id.example.com/device",
    expiresAt: new Date(now + 600_000).toISOString(),
    intervalMs: 500,
  };
}

function refuse(code: string, message: string): FairleadError {
  return new FairleadError({ code, message, httpStatus: 401 });
}
