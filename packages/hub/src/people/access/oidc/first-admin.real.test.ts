// A whole hub whose first admin token ends, with a real provider for those who come after it.
import { createHash } from "node:crypto";
import type { AuditList, Session } from "@fairlead/contract";
import { createSecret } from "@fairlead/kernel";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { clientId, startProvider, type TestProvider } from "./provider.fixture.ts";

let provider: TestProvider;
let harness: TestHub;
const loopback = "http://127.0.0.1:45454/callback";

beforeAll(async () => {
  provider = await startProvider();
  const { issuer, secretFile, caFile } = provider;
  harness = await openTestHub({
    config: {
      oidcIssuer: issuer,
      oidcClientId: clientId,
      oidcClientSecretFile: secretFile,
      oidcCaFile: caFile,
      oidcScopes: ["openid", "email", "groups"],
      firstAdminTokenEnds: true,
    },
  });
  provider.serve({ callbackUrl: `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback` });
  provider.accounts.set("alice", { email: "alice@example.com", email_verified: true, groups: ["ops"] });
}, 60_000);
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

it("ends when somebody is admin by the provider, and the record says why", async () => {
  const alice = await signIn("alice");
  expect(await status(harness.admin)).toBe(200);
  const subject = { kind: "group", name: "ops" };
  const bound = await ask("POST", "/api/v1/bindings", harness.admin, {
    subject,
    role: "admin",
    clusters: { all: true },
  });
  expect(bound.status).toBe(201);
  await expect.poll(() => status(harness.admin)).toBe(401);
  const read = async (): Promise<AuditList["items"]> => {
    const { items } = (await ask("GET", "/api/v1/audit?limit=1000", alice)).json as AuditList;
    return items.filter(({ resource }) => resource === "admin-tokens");
  };
  await expect.poll(async () => (await read()).length).toBe(1);
  const who = { kind: "hub", name: "--first-admin-token-ends" };
  expect(await read()).toMatchObject([{ who, verb: "delete", status: 200 }]);
  expect((await ask("GET", "/api/v1/audit/verify", alice)).json).toMatchObject({ ok: true });
});

async function signIn(login: string): Promise<{ authorization: string }> {
  const codeVerifier = createSecret();
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const url = `${harness.hub.peopleUrl}/api/v1/auth/oidc/start?${query.toString()}`;
  const code = new URL(await provider.browse(url, { login, until: loopback })).searchParams.get("code");
  const { json } = await ask("POST", "/api/v1/auth/oidc/token", {}, { code, codeVerifier });
  return { authorization: `Bearer ${(json as Session).accessToken}` };
}

async function status(headers: object): Promise<number | undefined> {
  return (await ask("GET", "/api/v1/whoami", headers)).status;
}

function ask(method: string, path: string, headers: object, body?: object): Promise<TestAnswer> {
  return call(harness.hub.peopleUrl, path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
