// Signing in at a hub by a real provider: both are listening, over TLS; the browser is a few lines.
import { createHash } from "node:crypto";
import type { Session } from "@fairlead/contract";
import { type Clock, createSecret, systemClock } from "@fairlead/kernel";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { clientId, startProvider, type TestProvider, wrongSecret } from "./provider.fixture.ts";

let provider: TestProvider;
let harness: TestHub;
let aheadMs = 0;
const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
const loopback = "http://127.0.0.1:45454/callback";

beforeAll(async () => {
  provider = await startProvider();
  harness = await openHub({});
  provider.serve({ callbackUrl: `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback` });
  provider.accounts.set("alice", { email: "alice@example.com", email_verified: true, groups: ["dev", "ops"] });
  provider.accounts.set("mallory", { email: "alice@example.com", email_verified: false, groups: ["dev"] });
  provider.accounts.set("twin", { email: "alice@example.com", email_verified: true, groups: ["dev"] });
  provider.accounts.set("outsider", { email: "eve@example.com", email_verified: true, groups: ["sales"] });
  provider.accounts.set("bob", { email: "bob@example.com", email_verified: true, groups: ["dev"] });
  provider.accounts.set("admin", { groups: ["dev"] });
  provider.accounts.set("system:admin", { groups: ["dev"] });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  aheadMs = 0;
  provider.goDown(false);
});

describe("signing in with a browser", () => {
  it("gives a session with the e-mail as the name and the groups, which works, refreshes and ends", async () => {
    const { answer, verifier } = await signIn("alice");
    expect(answer.searchParams.get("state")).toBe("my-state");
    const exchanged = await exchange(answer.searchParams.get("code"), verifier);
    expect(exchanged.status).toBe(200);
    expect(exchanged.headers["cache-control"]).toBe("no-store");
    const session = exchanged.json as Session;
    expect(session.principal).toMatchObject({ name: "alice@example.com", kind: "user", groups: ["dev", "ops"] });
    expect((await get("/api/v1/whoami", session)).json).toMatchObject({ name: "alice@example.com" });

    const refreshed = (await post("/api/v1/sessions/refresh", { refreshToken: session.refreshToken })).json as Session;
    expect((await get("/api/v1/whoami", refreshed)).status).toBe(200);
    await call(harness.hub.peopleUrl, "/api/v1/sessions/current", { method: "DELETE", headers: bearer(refreshed) });
    expect((await get("/api/v1/whoami", refreshed)).json).toMatchObject({ code: "AUTH_INVALID" });
  });

  it("shows the user to admins, who can sign them out and remove them", async () => {
    const session = await signInWhole("alice");
    const users = await get("/api/v1/users");
    expect(users.json).toMatchObject({ items: [{ name: "alice@example.com", groups: ["dev", "ops"], sessions: 1 }] });
    await post("/api/v1/users/alice@example.com/sign-out", undefined, harness.admin);
    expect((await get("/api/v1/whoami", session)).status).toBe(401);
    const again = await signInWhole("alice");
    await call(harness.hub.peopleUrl, "/api/v1/users/alice@example.com", { method: "DELETE", headers: harness.admin });
    expect((await get("/api/v1/whoami", again)).status).toBe(401);
    expect((await get("/api/v1/users")).json).toEqual({ items: [] });
  });

  it("is in the audit records under the user's name, without a code or a token", async () => {
    const { answer, verifier } = await signIn("alice");
    const code = answer.searchParams.get("code") ?? "";
    const session = (await exchange(code, verifier)).json as Session;
    let text = "";
    await expect
      .poll(async () => {
        text = (await get("/api/v1/audit?user=alice@example.com")).text;
        return text;
      })
      .toContain(session.sessionId);
    expect(JSON.parse(text).items[0]).toMatchObject({ path: "/api/v1/auth/oidc/token", who: { kind: "user" } });
    for (const secret of [code, verifier, session.accessToken, session.refreshToken])
      expect(text).not.toContain(secret);
  });

  it("refuses a login code that was used, that is a minute old, or whose verifier is another's", async () => {
    const first = await signIn("alice");
    const code = first.answer.searchParams.get("code");
    expect((await exchange(code, first.verifier)).status).toBe(200);
    expect((await exchange(code, first.verifier)).json).toMatchObject({ code: "AUTH_OIDC_CODE_INVALID" });

    const late = await signIn("alice");
    aheadMs += 61_000;
    expect((await exchange(late.answer.searchParams.get("code"), late.verifier)).status).toBe(401);
    aheadMs = 0;

    const stolen = await signIn("alice");
    const stolenCode = stolen.answer.searchParams.get("code");
    expect((await exchange(stolenCode, createSecret())).json).toMatchObject({ code: "AUTH_OIDC_CODE_INVALID" });
    expect((await exchange(stolenCode, stolen.verifier)).status, "one wrong try burns it").toBe(401);
  });

  it("refuses a callback with a state that it didn't make, a second time, or ten minutes later", async () => {
    const callback = "/api/v1/auth/oidc/callback?code=x";
    expect((await get(`${callback}&state=foreign`)).json).toMatchObject({ code: "AUTH_OIDC_FLOW_UNKNOWN" });
    expect((await get(callback)).status).toBe(400);

    const seen = await stopAtCallback("alice");
    expect((await get(seen)).status).toBe(302);
    expect((await get(seen)).json).toMatchObject({ code: "AUTH_OIDC_FLOW_UNKNOWN" });

    const slow = await stopAtCallback("alice");
    aheadMs += 11 * 60_000;
    expect((await get(slow)).json).toMatchObject({ code: "AUTH_OIDC_FLOW_UNKNOWN" });
  });

  it("refuses the code of one sign-in in the callback of another: nonce and PKCE don't fit", async () => {
    const one = new URL(await stopAtCallback("alice"), harness.hub.peopleUrl);
    const other = new URL(await stopAtCallback("alice"), harness.hub.peopleUrl);
    other.searchParams.set("code", one.searchParams.get("code") ?? "");
    const answer = await get(other.pathname + other.search);
    const target = new URL(answer.headers.location ?? "");
    expect(target.searchParams.get("error")).toBe("access_denied");
    expect(target.searchParams.get("error_description")).toContain("AUTH_OIDC_REFUSED");
    expect(target.searchParams.get("code")).toBeNull();
  });

  it("tells the waiting program when the user said no at the provider", async () => {
    const callback = new URL(await stopAtCallback("alice"), harness.hub.peopleUrl);
    callback.searchParams.delete("code");
    callback.searchParams.set("error", "access_denied");
    const target = new URL((await get(callback.pathname + callback.search)).headers.location ?? "");
    expect(target.href).toContain(loopback);
    expect(target.searchParams.get("error")).toBe("access_denied");
    expect(target.searchParams.get("state")).toBe("my-state");
  });

  it.each([
    "https://evil.example.com/callback",
    "http://evil.example.com/callback",
    "http://127.0.0.1.evil.example.com/",
    "http://127.0.0.1@evil.example.com/",
    "http://user@127.0.0.1:1/",
    "https://127.0.0.1:1/",
    "http://127.0.0.1:1/#code",
    "http://10.0.0.1/callback",
    "javascript:alert(1)",
    "/callback",
  ])("sends nobody's code to %s", async (redirectUri) => {
    const answer = await start({ redirect_uri: redirectUri });
    expect(answer.json).toMatchObject({ status: 400, code: "AUTH_OIDC_REDIRECT_REFUSED" });
  });

  it.each(["http://[::1]:1234/x", "http://localhost:1/", "http://127.0.0.1/a?b=c"])("may end at %s", async (uri) => {
    expect((await start({ redirect_uri: uri })).status).toBe(302);
  });

  it("needs a challenge of the right form", async () => {
    expect((await start({ code_challenge: "plain" })).json).toMatchObject({ code: "REQUEST_INVALID" });
  });

  it("lets no other account of the provider have a user's name", async () => {
    await signInWhole("alice");
    const { answer, verifier } = await signIn("twin");
    expect((await exchange(answer.searchParams.get("code"), verifier)).json).toMatchObject({
      status: 409,
      code: "USER_NAME_TAKEN",
    });
  });

  it("keeps a user's rights when the provider gives them another name, and gives none to who is called so next", async () => {
    provider.accounts.set("bride", { email: "before@example.com", email_verified: true, groups: [] });
    const before = await signInWhole("bride");
    const subject = { kind: "user", name: "before@example.com" };
    await post("/api/v1/bindings", { subject, role: "viewer", clusters: { all: true } }, harness.admin);
    provider.accounts.set("bride", { email: "after@example.com", email_verified: true, groups: [] });
    const { principal } = await signInWhole("bride");
    expect(principal).toMatchObject({ name: "after@example.com", bindings: [{ role: "viewer" }] });
    expect((await get("/api/v1/whoami", before)).status).toBe(401);
    provider.accounts.set("heir", { email: "before@example.com", email_verified: true, groups: [] });
    expect((await signInWhole("heir")).principal).toMatchObject({ name: "before@example.com", bindings: [] });
  });

  it("takes two first sign-ins at once for one user", async () => {
    provider.accounts.set("twice", { email: "twice@example.com", email_verified: true, groups: [] });
    const [one, other] = await Promise.all([signInWhole("twice"), signInWhole("twice")]);
    expect([one.principal.name, other.principal.name]).toEqual(["twice@example.com", "twice@example.com"]);
  });

  it("doesn't believe an e-mail address that isn't verified", async () => {
    expect((await signInWhole("mallory")).principal.name).toBe("mallory");
  });

  it.each(["admin", "system:admin"])("doesn't let a user of the provider be %s", async (login) => {
    const { answer } = await signIn(login);
    expect(answer.searchParams.get("error_description")).toContain("AUTH_OIDC_USER_REFUSED");
  });
});

describe("signing in with a code on another device", () => {
  it("waits until the user has agreed, and then gives a session once", async () => {
    const begun = (await post("/api/v1/auth/oidc/device", undefined)).json as Device;
    expect(begun.userCode).toMatch(/^\w{4}-\w{4}$/);
    expect(await poll(begun)).toMatchObject({ status: 202, json: { pending: true, intervalMs: 5_000 } });
    aheadMs += 6_000;
    expect(await poll(begun)).toMatchObject({ status: 202, json: { pending: true } });
    await provider.browse(begun.verificationUriComplete, { login: "alice" });
    expect(await poll(begun), "within the interval").toMatchObject({ status: 202 });
    aheadMs += 6_000;
    const done = await poll(begun);
    expect(done.json).toMatchObject({ principal: { name: "alice@example.com", groups: ["dev", "ops"] } });
    expect((await poll(begun)).json).toMatchObject({ status: 410, code: "AUTH_OIDC_DEVICE_ENDED" });
  });

  it("gives the session of who agreed, whoever asked, on record, and nothing for the code that is shown", async () => {
    const begun = (await post("/api/v1/auth/oidc/device", undefined)).json as Device;
    expect((await poll({ deviceId: begun.userCode })).json).toMatchObject({ code: "AUTH_OIDC_DEVICE_ENDED" });
    await provider.browse(begun.verificationUriComplete, { login: "bob" });
    aheadMs += 6_000;
    const session = (await poll(begun)).json as Session;
    expect(session.principal).toMatchObject({ name: "bob@example.com", groups: ["dev"] });
    expect((await get("/api/v1/whoami", session)).json).toMatchObject({ name: "bob@example.com" });
    await expect
      .poll(async () => (await get("/api/v1/audit?user=bob@example.com")).text)
      .toContain("/api/v1/auth/oidc/device/token");
  });

  it("is over when its time is", async () => {
    const begun = (await post("/api/v1/auth/oidc/device", undefined)).json as Device;
    aheadMs += 31 * 60_000;
    expect((await poll(begun)).json).toMatchObject({ code: "AUTH_OIDC_DEVICE_ENDED" });
    expect((await poll({ deviceId: "made-up" })).status).toBe(410);
  });
});

describe("a hub whose provider", () => {
  it("is down says so, goes on by itself when it is back, and starts without it", async () => {
    provider.goDown(true);
    await using fresh = await openHub({});
    const methods = await call(fresh.hub.peopleUrl, "/api/v1/auth/methods");
    expect(methods.json).toEqual({ token: true, oidc: { issuer: provider.issuer, name: host(), deviceFlow: false } });
    expect((await start({}, fresh)).json).toMatchObject({ status: 503, code: "AUTH_OIDC_UNAVAILABLE" });
    provider.goDown(false);
    aheadMs += 2_000;
    expect((await start({}, fresh)).status).toBe(302);
    const again = await call(fresh.hub.peopleUrl, "/api/v1/auth/methods");
    expect(again.json).toMatchObject({ oidc: { deviceFlow: true } });
  });

  it("goes down in the middle of a sign-in tells the waiting program", async () => {
    const callback = await stopAtCallback("alice");
    provider.goDown(true);
    const target = new URL((await get(callback)).headers.location ?? "");
    expect(target.searchParams.get("error")).toBe("temporarily_unavailable");
  });

  it("isn't there takes tokens and says that there is no other way", async () => {
    await using without = await openTestHub({});
    const { peopleUrl } = without.hub;
    expect((await call(peopleUrl, "/api/v1/auth/methods")).json).toEqual({ token: true });
    expect((await call(peopleUrl, "/api/v1/auth/oidc/start")).json).toMatchObject({ code: "AUTH_OIDC_OFF" });
  });

  it("has another certificate authority than the hub trusts isn't spoken to", async () => {
    await using strict = await openHub({ oidcCaFile: undefined });
    const answer = await start({}, strict);
    expect(answer.json).toMatchObject({ status: 503, code: "AUTH_OIDC_UNAVAILABLE" });
  });

  it("knows another secret refuses the sign-in, and the secret isn't repeated", async () => {
    await using wrong = await openHub({ oidcClientSecretFile: provider.wrongSecretFile });
    provider.serve({ callbackUrl: `${wrong.hub.peopleUrl}/api/v1/auth/oidc/callback` });
    const { answer } = await signIn("alice", wrong);
    expect(answer.searchParams.get("error_description")).toMatch(/invalid_client.*AUTH_OIDC_REFUSED/);
    expect(JSON.stringify([answer.href, wrong.lines])).not.toContain(wrongSecret);
  });

  it("tells groups only at its userinfo endpoint is asked there, and lets in only the groups that may", async () => {
    await using picky = await openHub({ oidcAllowedGroups: ["ops"], oidcUsernameClaim: "sub" });
    provider.serve({ callbackUrl: `${picky.hub.peopleUrl}/api/v1/auth/oidc/callback`, isIdTokenSmall: true });
    expect((await signInWhole("alice", picky)).principal).toMatchObject({ name: "alice", groups: ["dev", "ops"] });
    const { answer } = await signIn("outsider", picky);
    expect(answer.searchParams.get("error_description")).toContain("none of the groups");
  });
});

interface Device {
  readonly deviceId: string;
  readonly userCode: string;
  readonly verificationUriComplete: string;
}

function openHub(config: object): Promise<TestHub> {
  return openTestHub({
    clock,
    config: {
      oidcIssuer: provider.issuer,
      oidcClientId: clientId,
      oidcClientSecretFile: provider.secretFile,
      oidcCaFile: provider.caFile,
      oidcScopes: ["openid", "email", "groups"],
      ...config,
    },
  });
}

function start(query: object, at = harness): Promise<TestAnswer> {
  const challenge = createHash("sha256").update("verifier").digest("base64url");
  const asked = { redirect_uri: loopback, state: "my-state", code_challenge: challenge, ...query };
  return call(at.hub.peopleUrl, `/api/v1/auth/oidc/start?${new URLSearchParams(asked).toString()}`);
}

async function signIn(login: string, at = harness, until = loopback): Promise<{ answer: URL; verifier: string }> {
  const verifier = createSecret();
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const url = `${at.hub.peopleUrl}/api/v1/auth/oidc/start?${query.toString()}`;
  return { answer: new URL(await provider.browse(url, { login, until })), verifier };
}

async function signInWhole(login: string, at = harness): Promise<Session> {
  const { answer, verifier } = await signIn(login, at);
  return (await exchange(answer.searchParams.get("code"), verifier, at)).json as Session;
}

/** Path and query that the provider sends the browser to, not yet visited. */
async function stopAtCallback(login: string): Promise<string> {
  const { answer } = await signIn(login, harness, `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback`);
  return answer.pathname + answer.search;
}

function exchange(code: string | null, codeVerifier: string, at = harness): Promise<TestAnswer> {
  return post("/api/v1/auth/oidc/token", { code, codeVerifier }, {}, at);
}

function poll({ deviceId }: { readonly deviceId: string }): Promise<TestAnswer> {
  return post("/api/v1/auth/oidc/device/token", { deviceId });
}

function get(path: string, session?: Session): Promise<TestAnswer> {
  return call(harness.hub.peopleUrl, path, { headers: session ? bearer(session) : harness.admin });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}, at = harness): Promise<TestAnswer> {
  return call(at.hub.peopleUrl, path, {
    method: "POST",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function bearer(session: Session): { authorization: string } {
  return { authorization: `Bearer ${session.accessToken}` };
}

function host(): string {
  return new URL(provider.issuer).host;
}
