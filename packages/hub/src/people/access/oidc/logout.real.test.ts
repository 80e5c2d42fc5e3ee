// A real provider tells a whole hub that someone signed out there; and what others might tell it in the provider's name.
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { AuditList, Session } from "@fairlead/contract";
import { type Clock, createSecret, systemClock } from "@fairlead/kernel";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { type Cookies, clientId, startProvider, type TestProvider } from "./provider.fixture.ts";

let provider: TestProvider;
let harness: TestHub;
let aheadMs = 0;
const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
const loopback = "http://127.0.0.1:45454/callback";
const path = "/api/v1/auth/oidc/backchannel-logout";

beforeAll(async () => {
  provider = await startProvider();
  harness = await openHub();
  serveFor(harness);
  for (const name of ["alice", "bob"])
    provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, groups: [] });
}, 60_000);
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  // Each has its own minute of failures.
  aheadMs += 61_000;
  provider.goDown(false);
});

describe("a sign-out at the provider", () => {
  it("ends the session that began there, with its open streams, and no other, on record", async () => {
    const subject = { kind: "user", name: "alice@example.com" };
    const there: Cookies = new Map();
    const ended = await signIn("alice", there);
    const elsewhere = await signIn("alice");
    const other = await signIn("bob");
    await post("/api/v1/bindings", { subject, role: "admin", clusters: { all: true } });
    const stream = await openStream(ended);
    const page = await provider.browse(`${provider.issuer}/session/end?client_id=${clientId}`, {
      login: "alice",
      cookies: there,
    });
    expect(page).toContain("Sign-out Success");
    await stream.closed;
    expect(await statuses(ended, elsewhere, other)).toEqual([401, 200, 200]);
    const refreshed = await post("/api/v1/sessions/refresh", { refreshToken: ended.refreshToken }, {});
    expect(refreshed.json).toMatchObject({ code: "SESSION_REFRESH_INVALID" });

    const records = await readAudit();
    const by = { kind: "identity-provider", name: provider.issuer };
    expect(records).toMatchObject([{ who: by, name: "alice@example.com", status: 200 }]);
    expect(JSON.stringify(records)).not.toMatch(/eyJ/);
  });

  it("of which the provider tells the person alone ends all of theirs", async () => {
    const [one, other, bobs] = [await signIn("alice"), await signIn("alice"), await signIn("bob")];
    const answer = await logOut({ sub: "alice" });
    expect(answer).toMatchObject({ status: 200, text: "", headers: { "cache-control": "no-store" } });
    expect(await statuses(one, other, bobs)).toEqual([401, 401, 200]);
  });

  it("of which it tells the session alone ends that one", async () => {
    const [one, other] = [await signIn("alice"), await signIn("alice")];
    expect((await logOut({ sid: await readSid(one) })).status).toBe(200);
    expect(await statuses(one, other)).toEqual([401, 200]);
  });

  it("ends a session of which the provider never said how it calls it, and nobody else's", async () => {
    provider.forge(({ claims: { sid: _, ...claims }, sign }) => sign(claims));
    const [unnamed, bobs] = [await signIn("alice"), await signIn("bob")];
    provider.forge(undefined);
    const named = await signIn("alice");
    expect(await readSid(unnamed)).toBeNull();
    expect((await logOut({ sub: "alice", sid: "another" })).status).toBe(200);
    expect(await statuses(unnamed, named, bobs)).toEqual([401, 200, 200]);
  });

  it("doesn't end a session that has the name for another person", async () => {
    const bobs = await signIn("bob");
    expect((await logOut({ sub: "alice", sid: await readSid(bobs) })).status).toBe(200);
    expect(await statuses(bobs)).toEqual([200]);
  });

  it("leaves sessions alone that didn't begin by the provider", async () => {
    const mine = (await post("/api/v1/sessions", undefined)).json as Session;
    expect((await logOut({ sub: "admin" })).status).toBe(200);
    expect(await statuses(mine)).toEqual([200]);
  });

  it("counts for a sign-in whose code is on its way, too", async () => {
    const { code, verifier } = await getCode("alice");
    expect((await logOut({ sub: "alice" })).status).toBe(200);
    const late = await post("/api/v1/auth/oidc/token", { code, codeVerifier: verifier }, {});
    expect(late.json).toMatchObject({ code: "AUTH_OIDC_CODE_INVALID" });
  });

  it("is each on record by itself, also when two come at once", async () => {
    await Promise.all([signIn("alice"), signIn("bob")]);
    const before = (await readAudit()).length;
    await Promise.all([logOut({ sub: "alice" }), logOut({ sub: "bob" })]);
    const names = (await readAudit()).slice(0, -before).map(({ name }) => name);
    expect(names.sort()).toEqual(["alice@example.com", "bob@example.com"]);
  });
});

type Forgery = (claims: Record<string, unknown>, sign: TestProvider["sign"]) => string;

/** Each is refused for a reason of its own, so that none is refused by chance. */
const forgeries: Readonly<Record<string, readonly [reason: string, Forgery]>> = {
  "signed by another key": ["signature verification failed", (claims, sign) => sign(claims, { isForeign: true })],
  "signed by nobody": ["'alg'", (claims, sign) => sign(claims, { header: { alg: "none" } }).replace(/[^.]+$/, "")],
  "signed with a secret that everyone knows": ["'alg'", (claims, sign) => sign(claims, { header: { alg: "HS256" } })],
  "of a key that the provider doesn't have": [
    "no applicable key",
    (claims, sign) => sign(claims, { header: { kid: "other" } }),
  ],
  "of another type": ["another type", (claims, sign) => sign(claims, { header: { typ: "at+jwt" } })],
  "of another issuer": ["'iss'", (claims, sign) => sign({ ...claims, iss: "https://evil.example.com" })],
  "without an issuer": ["'iss'", ({ iss: _, ...claims }, sign) => sign(claims)],
  "for another client": ["'aud'", (claims, sign) => sign({ ...claims, aud: "someone-else" })],
  "for two clients, of which we aren't the one it is for": [
    "'azp'",
    (claims, sign) => sign({ ...claims, aud: [clientId, "someone-else"], azp: "someone-else" }),
  ],
  "that is over": ["'exp'", (claims, sign) => sign({ ...claims, exp: nowSeconds() - 60 })],
  "without an end": ["'exp'", ({ exp: _, ...claims }, sign) => sign(claims)],
  "made long ago": ["'iat'", (claims, sign) => sign({ ...claims, iat: nowSeconds() - 3_600 })],
  "made in the future": ["'iat'", (claims, sign) => sign({ ...claims, iat: nowSeconds() + 3_600 })],
  "without the time it was made": ["'iat'", ({ iat: _, ...claims }, sign) => sign(claims)],
  "without an event": ["'events'", ({ events: _, ...claims }, sign) => sign(claims)],
  "of another event": ["'events'", (claims, sign) => sign({ ...claims, events: { "https://example.com/x": {} } })],
  "whose event is no object": ["'events'", (claims, sign) => sign({ ...claims, events: { [logoutEvent]: true } })],
  "with a nonce, as an ID token has": ["'nonce'", (claims, sign) => sign({ ...claims, nonce: "x" })],
  "without an id": ["'jti'", ({ jti: _, ...claims }, sign) => sign(claims)],
  "about nobody": ["neither", ({ sub: _, ...claims }, sign) => sign(claims)],
  "whose person is no text": ["'sub'", (claims, sign) => sign({ ...claims, sub: 7, sid: "x" })],
  "whose session is no text": ["'sid'", (claims, sign) => sign({ ...claims, sid: ["x"] })],
  "that is no token": ["Protected Header", () => "x.y.z"],
};

describe("a logout token", () => {
  it.each(Object.keys(forgeries))("%s ends nothing", async (name) => {
    const session = await signIn("alice");
    const [reason = "", forge] = forgeries[name] ?? [];
    const answer = await send(`logout_token=${forge?.(claimsOf({ sub: "alice" }), provider.sign)}`);
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "content-type": /^application\/json/ });
    const { error_description: description } = answer.json as { error_description: string };
    expect(description).toContain(reason);
    expect(description).toContain("(AUTH_OIDC_LOGOUT_INVALID)");
    expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(await statuses(session)).toEqual([200]);
  });

  it("which is the ID token that someone signed in with ends nothing", async () => {
    let idToken = "";
    provider.forge(({ claims, sign }) => {
      idToken = sign(claims);
      return idToken;
    });
    const session = await signIn("alice");
    provider.forge(undefined);
    expect((await send(`logout_token=${idToken}`)).status).toBe(400);
    expect(await statuses(session)).toEqual([200]);
  });

  it("is taken once", async () => {
    const token = provider.sign(claimsOf({ sub: "alice" }));
    expect((await send(`logout_token=${token}`)).status).toBe(200);
    const session = await signIn("alice");
    const again = await send(`logout_token=${token}`);
    expect(again.json).toMatchObject({ error_description: expect.stringContaining("already used") });
    expect(await statuses(session)).toEqual([200]);
  });

  it.each([undefined, "JWT", "logout+jwt", "application/logout+jwt"])("may have the type %s", async (typ) => {
    const session = await signIn("alice");
    const token = provider.sign(claimsOf({ sub: "alice" }), { header: { typ } });
    expect((await send(`logout_token=${token}`)).status).toBe(200);
    expect(await statuses(session)).toEqual([401]);
  });

  it.each([
    ["nothing", ""],
    ["another form", "token=x"],
    ["a token without end", `logout_token=${"x".repeat(20_000)}`],
    ["a form without end", `x=${"x".repeat(40_000)}`],
  ])("isn't %s", async (_, body) => {
    expect(await send(body)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });

  it("comes as a form or not at all", async () => {
    const token = provider.sign(claimsOf({ sub: "alice" }));
    const refused = { status: 400, json: { error: "invalid_request" } };
    expect(await post(path, { logout_token: token }, {})).toMatchObject(refused);
    expect(await send(`logout_token=${token}`, harness, "text/plain")).toMatchObject(refused);
    expect((await send(`logout_token=${token}`)).status).toBe(200);
  });

  it.each([
    ["was never asked", false],
    ["was asked for anything but its keys", true],
  ])("that can't be checked as the provider is down and %s counts when it is sent again", async (_, isKnown) => {
    await using fresh = await openHub();
    if (isKnown) await call(fresh.hub.peopleUrl, "/api/v1/auth/methods");
    provider.goDown(true);
    const body = `logout_token=${provider.sign(claimsOf({ sub: "alice" }))}`;
    expect(await send(body, fresh)).toMatchObject({ status: 400, json: { error: "temporarily_unavailable" } });
    provider.goDown(false);
    aheadMs += 2_000;
    expect((await send(body, fresh)).status).toBe(200);
  });

  it("is nothing to a hub without a provider", async () => {
    await using without = await openTestHub({});
    const answer = await send("logout_token=x.y.z", without);
    expect(answer).toMatchObject({
      status: 400,
      json: { error_description: expect.stringContaining("AUTH_OIDC_OFF") },
    });
  });
});

describe("whoever sends logout tokens that don't hold", () => {
  it("is soon refused unheard, keeps nobody from signing in, and fills no records", async () => {
    const before = (await readAudit()).length;
    // Failures are counted by the clock's minute.
    aheadMs += 60_000 - (clock.now() % 60_000);
    const answers: (number | undefined)[] = [];
    for (let round = 0; round < 70; round += 1) answers.push((await send("logout_token=x.y.z")).status);
    expect(answers.filter((status) => status === 400)).toHaveLength(60);
    expect(answers.at(-1)).toBe(429);
    const good = await logOut({ sub: "alice" });
    expect(good).toMatchObject({ status: 429, json: { error: "temporarily_unavailable" } });
    expect(good.headers["retry-after"]).toBe("60");
    expect(await statuses(await signIn("alice"))).toEqual([200]);
    expect((await readAudit()).length - before).toBeLessThan(10);
    aheadMs += 61_000;
    expect((await logOut({ sub: "alice" })).status).toBe(200);
  });
});

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

function nowSeconds(): number {
  return Math.floor(clock.now() / 1_000);
}

function claimsOf(about: object): Record<string, unknown> {
  const [iat, events] = [nowSeconds(), { [logoutEvent]: {} }];
  return { iss: provider.issuer, aud: clientId, iat, exp: iat + 120, jti: createSecret(), events, ...about };
}

function logOut(about: object): Promise<TestAnswer> {
  return send(`logout_token=${provider.sign(claimsOf(about))}`);
}

function send(body: string, at = harness, type = "application/x-www-form-urlencoded"): Promise<TestAnswer> {
  return call(at.hub.peopleUrl, path, { method: "POST", headers: { "content-type": type }, body });
}

function openHub(): Promise<TestHub> {
  return openTestHub({
    clock,
    config: {
      oidcIssuer: provider.issuer,
      oidcClientId: clientId,
      oidcClientSecretFile: provider.secretFile,
      oidcCaFile: provider.caFile,
      oidcScopes: ["openid", "email", "groups"],
    },
  });
}

function serveFor({ hub }: TestHub): void {
  provider.serve({ callbackUrl: `${hub.peopleUrl}/api/v1/auth/oidc/callback`, logoutUrl: hub.peopleUrl + path });
}

async function getCode(login: string, cookies?: Cookies): Promise<{ code: string | null; verifier: string }> {
  const verifier = createSecret();
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const url = `${harness.hub.peopleUrl}/api/v1/auth/oidc/start?${query.toString()}`;
  const answer = new URL(await provider.browse(url, { login, until: loopback, ...(cookies && { cookies }) }));
  return { code: answer.searchParams.get("code"), verifier };
}

async function signIn(login: string, cookies?: Cookies): Promise<Session> {
  const { code, verifier } = await getCode(login, cookies);
  const answer = await post("/api/v1/auth/oidc/token", { code, codeVerifier: verifier }, {});
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Session;
}

async function readSid({ sessionId }: Session): Promise<string | null | undefined> {
  const { db } = harness.store;
  return (await db.selectFrom("session").select("oidc_sid").where("id", "=", sessionId).executeTakeFirst())?.oidc_sid;
}

async function statuses(...sessions: readonly Session[]): Promise<(number | undefined)[]> {
  const asked = sessions.map((session) => call(harness.hub.peopleUrl, "/api/v1/whoami", { headers: bearer(session) }));
  return (await Promise.all(asked)).map(({ status }) => status);
}

async function readAudit(): Promise<AuditList["items"]> {
  const { json } = await call(harness.hub.peopleUrl, "/api/v1/audit?limit=1000", { headers: harness.admin });
  return (json as AuditList).items.filter((record) => record.path === path);
}

/** Goes on until someone ends it. */
async function openStream(session: Session): Promise<{ readonly closed: Promise<unknown> }> {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const client = request(`${harness.hub.peopleUrl}/api/v1/audit/stream`, { agent, headers: bearer(session) });
  client.end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.on("error", () => undefined).resume();
  return { closed: once(answer, "close") };
}

function post(to: string, body: unknown, headers: object = harness.admin): Promise<TestAnswer> {
  return call(harness.hub.peopleUrl, to, {
    method: "POST",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function bearer(session: Session): { authorization: string } {
  return { authorization: `Bearer ${session.accessToken}` };
}
