// Two hubs on one database and a real provider: each step of a sign-in comes to another hub.
import { createHash } from "node:crypto";
import type { Session } from "@fairlead/contract";
import { createId, createSecret } from "@fairlead/kernel";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AccessHarness, type HarnessHub, startAccess } from "../access-harness.fixture.ts";
import { clientId, startProvider, type TestProvider } from "./provider.fixture.ts";

const loopback = "http://127.0.0.1:45454/callback";
const callbackUrl = "https://hub.test/api/v1/auth/oidc/callback";
let provider: TestProvider;
let harness: AccessHarness;
let other: HarnessHub;
beforeAll(async () => {
  provider = await startProvider();
  provider.serve({ callbackUrl });
  for (const name of ["alice", "bob"])
    provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, groups: ["dev"] });
  harness = await startAccess({
    hasOthers: true,
    // The provider's tokens are of today.
    startMs: Date.now(),
    oidc: {
      issuer: provider.issuer,
      clientId,
      clientSecretFile: provider.secretFile,
      caFile: provider.caFile,
      scopes: ["openid", "email", "groups"],
      groupsClaim: "groups",
      usernameClaim: undefined,
      allowedGroups: undefined,
    },
  });
  other = await harness.beside();
  harness.hall.fate = () => "lose";
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

it("a sign-in begins at one hub, comes back to another, and is exchanged at either, once", async () => {
  const { callback, verifier } = await stopAtCallback("alice");
  const ends = await Promise.all([harness, other].map((hub) => hub.call(undefined, `GET ${callback}`)));
  expect(ends.map(({ status }) => status).sort()).toEqual([302, 400]);
  const code = ends.map(readCode).find((found) => found !== null);
  const exchanges = await Promise.all([harness, other].map((hub) => exchange(hub, code, verifier)));
  expect(exchanges.map(({ status }) => status).sort()).toEqual([200, 401]);
  const session = exchanges.find(({ status }) => status === 200)?.body as Session;
  for (const hub of [harness, other]) {
    const { body } = await hub.call(session.accessToken, "GET /api/v1/whoami");
    expect(body).toMatchObject({ name: "alice@example.com", groups: ["dev"] });
  }
});

it("what the database holds meanwhile finishes nobody's sign-in", async () => {
  const { callback, verifier } = await stopAtCallback("bob");
  const state = new URL(callback, callbackUrl).searchParams.get("state") ?? "";
  const rows = await harness.store.db.selectFrom("oidc_waiting").selectAll().where("kind", "=", "flow").execute();
  expect(rows).toHaveLength(1);
  const [row] = rows;
  const text = JSON.stringify(row) + row?.sealed.toString("latin1");
  for (const secret of [state, "my-state", loopback]) expect(text).not.toContain(secret);
  const forged = callback.replace(state, row?.secret_sha256 ?? "");
  expect((await other.call(undefined, `GET ${forged}`)).status).toBe(400);
  const code = readCode(await other.call(undefined, `GET ${callback}`));
  const waiting = await harness.store.db.selectFrom("oidc_waiting").selectAll().where("kind", "=", "code").execute();
  expect((await exchange(harness, waiting[0]?.secret_sha256 ?? "", verifier)).status).toBe(401);
  expect((await exchange(harness, code, verifier)).status).toBe(200);
});

it.each([
  ["signs out", "POST", "/sign-out"],
  ["removes", "DELETE", ""],
])(
  "a person whom an admin %s at one hub gets no session by a code that is on its way at another",
  async (_what, method, path) => {
    const session = await signIn(harness, "alice");
    const { callback, verifier } = await stopAtCallback("alice");
    const code = readCode(await harness.call(undefined, `GET ${callback}`));
    const bobs = await stopAtCallback("bob");
    const bobsCode = readCode(await harness.call(undefined, `GET ${bobs.callback}`));
    const line = `${method} /api/v1/users/${session.principal.name}${path}`;
    expect((await other.call(harness.adminToken, line)).status).toBe(204);
    const { status, body } = await exchange(harness, code, verifier);
    expect([status, body.code]).toEqual([401, "AUTH_OIDC_CODE_INVALID"]);
    const refreshed = await harness.call(undefined, "POST /api/v1/sessions/refresh", {
      refreshToken: session.refreshToken,
    });
    expect([refreshed.status, refreshed.body.code]).toEqual([401, "SESSION_REFRESH_INVALID"]);
    expect((await exchange(harness, bobsCode, bobs.verifier)).status).toBe(200);
  },
);

it("a sign-out at the provider that comes to one hub ends sessions and codes of another, and counts once", async () => {
  const session = await signIn(harness, "alice");
  const late = await stopAtCallback("alice");
  const code = readCode(await harness.call(undefined, `GET ${late.callback}`));
  const now = Math.floor(harness.clock.now() / 1_000);
  const token = provider.sign({
    iss: provider.issuer,
    aud: clientId,
    iat: now,
    exp: now + 120,
    jti: createId("jti"),
    sub: "alice",
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  });
  const logOut = (hub: HarnessHub) =>
    hub.call(undefined, "POST /api/v1/auth/oidc/backchannel-logout", new URLSearchParams({ logout_token: token }));
  const answers = await Promise.all([logOut(other), logOut(harness)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect((await exchange(harness, code, late.verifier)).status).toBe(401);
  const isOver = async (hub: HarnessHub): Promise<boolean> => {
    harness.clock.move(1_000);
    return (await hub.call(session.accessToken, "GET /api/v1/whoami")).status === 401;
  };
  for (const hub of [other, harness]) await expect.poll(() => isOver(hub)).toBe(true);
  expect((await signIn(other, "alice")).principal.name).toBe("alice@example.com");
  expect((await logOut(harness)).status).toBe(400);
});

it("a sign-in by a code elsewhere may be asked for at any hub", async () => {
  const begun = (await harness.call(undefined, "POST /api/v1/auth/oidc/device")).body;
  const poll = (hub: HarnessHub) =>
    hub.call(undefined, "POST /api/v1/auth/oidc/device/token", { deviceId: begun.deviceId });
  expect((await poll(other)).status).toBe(202);
  await provider.browse(begun.verificationUriComplete, { login: "bob" });
  harness.clock.move(begun.intervalMs + 1_000);
  const answers = await Promise.all([poll(other), poll(harness)]);
  const done = answers.find(({ status }) => status === 200);
  expect(done?.body).toMatchObject({ principal: { name: "bob@example.com" } });
  for (const hub of [harness, other]) expect((await poll(hub)).status).toBe(410);
});

async function stopAtCallback(login: string): Promise<{ callback: string; verifier: string }> {
  const verifier = createSecret();
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const begun = await harness.call(undefined, `GET /api/v1/auth/oidc/start?${query.toString()}`);
  const { location } = begun.headers as { readonly location: string };
  const { pathname, search } = new URL(await provider.browse(location, { login, until: callbackUrl }));
  return { callback: pathname + search, verifier };
}

async function signIn(hub: HarnessHub, login: string): Promise<Session> {
  const { callback, verifier } = await stopAtCallback(login);
  const code = readCode(await hub.call(undefined, `GET ${callback}`));
  return (await exchange(hub, code, verifier)).body;
}

function readCode({ headers }: { readonly headers: { readonly location?: string } }): string | null {
  return headers.location === undefined ? null : new URL(headers.location).searchParams.get("code");
}

function exchange(
  hub: HarnessHub,
  code: string | null | undefined,
  codeVerifier: string,
): ReturnType<HarnessHub["call"]> {
  return hub.call(undefined, "POST /api/v1/auth/oidc/token", { code, codeVerifier });
}
