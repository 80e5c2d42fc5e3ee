// A provider, or someone between it and the hub, whose answers don't hold: nobody is signed in by any of them.
import { createHash } from "node:crypto";
import { createSecret, systemClock } from "@fairlead/kernel";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { clientId, type Forgery, startProvider, type TestProvider } from "./provider.fixture.ts";

let provider: TestProvider;
let harness: TestHub;
let aheadMs = 0;
const loopback = "http://127.0.0.1:45454/callback";
const nowSeconds = Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  provider = await startProvider();
  const { issuer, secretFile, caFile } = provider;
  harness = await openTestHub({
    clock: { ...systemClock, now: () => Date.now() + aheadMs },
    config: {
      oidcIssuer: issuer,
      oidcClientId: clientId,
      oidcClientSecretFile: secretFile,
      oidcCaFile: caFile,
      oidcScopes: ["openid", "email", "groups"],
    },
  });
  provider.serve({ callbackUrl: `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback` });
  provider.accounts.set("alice", { email: "alice@example.com", email_verified: true, groups: ["dev"] });
}, 60_000);
afterEach(() => provider.forge(undefined));
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const forgeries: Readonly<Record<string, Forgery>> = {
  "signed by another key": ({ claims, sign }) => sign(claims, { isForeign: true }),
  "signed by nobody": ({ claims, sign }) =>
    `${sign(claims, { header: { alg: "none" } })
      .split(".")
      .slice(0, 2)
      .join(".")}.`,
  "signed with a secret that everyone knows": ({ claims, sign }) => sign(claims, { header: { alg: "HS256" } }),
  "of a key that the provider doesn't have": ({ claims, sign }) => sign(claims, { header: { kid: "other" } }),
  "for another client": ({ claims, sign }) => sign({ ...claims, aud: "someone-else" }),
  "for two clients, of which we aren't the one it is for": ({ claims, sign }) =>
    sign({ ...claims, aud: [clientId, "someone-else"], azp: "someone-else" }),
  "of another issuer": ({ claims, sign }) => sign({ ...claims, iss: "https://evil.example.com" }),
  "that is over": ({ claims, sign }) => sign({ ...claims, iat: nowSeconds - 7_200, exp: nowSeconds - 3_600 }),
  "that isn't valid yet": ({ claims, sign }) => sign({ ...claims, nbf: nowSeconds + 3_600 }),
  "without an end": ({ claims: { exp: _, ...claims }, sign }) => sign(claims),
  "with another sign-in's nonce": ({ claims, sign }) => sign({ ...claims, nonce: "another" }),
  "without a nonce": ({ claims: { nonce: _, ...claims }, sign }) => sign(claims),
  "without a subject": ({ claims: { sub: _, ...claims }, sign }) => sign(claims),
  "that is no token": () => "x.y.z",
  "that isn't there": () => undefined,
};

/** Each is refused for a reason of its own, so that none is refused by chance. */
const reasons: Readonly<Record<string, string>> = {
  "signed by another key": "signature verification failed",
  "signed by nobody": 'unexpected JWT "alg"',
  "signed with a secret that everyone knows": 'unexpected JWT "alg"',
  "of a key that the provider doesn't have": "no applicable keys",
  "for another client": '"aud"',
  "for two clients, of which we aren't the one it is for": '"azp"',
  "of another issuer": '"iss"',
  "that is over": '"exp"',
  "that isn't valid yet": '"nbf"',
  "without an end": '"exp"',
  "with another sign-in's nonce": '"nonce"',
  "without a nonce": '"nonce"',
  "without a subject": '"sub"',
  "that is no token": "failed to parse",
  "that isn't there": '"id_token"',
};

describe("an ID token", () => {
  it("as the provider made it, or made again by its key, signs in", async () => {
    expect((await signIn()).searchParams.get("code")).toMatch(/\w+/);
    provider.forge(({ claims, sign }) => sign({ ...claims, groups: ["ops"] }));
    expect((await signIn()).searchParams.get("error")).toBeNull();
  });

  it.each(Object.keys(forgeries))("%s signs nobody in", async (name) => {
    provider.forge(forgeries[name]);
    const target = await signIn();
    expect(target.searchParams.get("code")).toBeNull();
    expect(target.searchParams.get("error")).toBe("access_denied");
    expect(target.searchParams.get("error_description")).toContain("AUTH_OIDC_ANSWER_INVALID");
    expect(target.searchParams.get("error_description")).toContain(reasons[name]);
    expect(target.searchParams.get("state")).toBe("my-state");
    expect(harness.lines.at(-1)).toContain("AUTH_OIDC_ANSWER_INVALID");
  });
});

describe("an ID token for a device", () => {
  it.each(["signed by another key", "for another client", "that is over", "that isn't there"])(
    "%s signs nobody in",
    async (name) => {
      const begun = await post("/api/v1/auth/oidc/device", {});
      const { deviceId, verificationUriComplete } = begun.json as { deviceId: string; verificationUriComplete: string };
      await provider.browse(verificationUriComplete, { login: "alice" });
      provider.forge(forgeries[name]);
      aheadMs += 6_000;
      const answer = await post("/api/v1/auth/oidc/device/token", { deviceId });
      expect(answer.json).toMatchObject({ status: 401, code: "AUTH_OIDC_ANSWER_INVALID" });
      expect((await post("/api/v1/auth/oidc/device/token", { deviceId })).status).toBe(410);
    },
  );
});

describe("a way to the provider on which someone changed", () => {
  it.each([
    ["nonce", "AUTH_OIDC_ANSWER_INVALID"],
    ["code_challenge", "AUTH_OIDC_REFUSED"],
  ])("the %s signs nobody in", async (name, code) => {
    const target = await signIn((url) => url.searchParams.set(name, createSecret().slice(0, 43)));
    expect(target.searchParams.get("code")).toBeNull();
    expect(target.searchParams.get("error_description")).toContain(code);
  });

  it("the state signs nobody in", async () => {
    const callback = `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback`;
    const target = await signIn((url) => url.searchParams.set("state", "another"), callback);
    const answer = await call(harness.hub.peopleUrl, target.pathname + target.search);
    expect(answer.json).toMatchObject({ status: 400, code: "AUTH_OIDC_FLOW_UNKNOWN" });
  });
});

function post(path: string, body: object): Promise<TestAnswer> {
  const headers = { "content-type": "application/json" };
  return call(harness.hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function signIn(change: (url: URL) => void = () => undefined, until = loopback): Promise<URL> {
  const challenge = createHash("sha256").update(createSecret()).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const begun = await call(harness.hub.peopleUrl, `/api/v1/auth/oidc/start?${query.toString()}`);
  const url = new URL(begun.headers.location ?? "");
  change(url);
  return new URL(await provider.browse(url.href, { login: "alice", until }));
}
