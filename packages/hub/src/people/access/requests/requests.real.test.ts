// Two people at a whole hub with a real provider: one asks for a role, the other grants it, and a stream that it gave is
// cut at its end. The agent is of a few lines and never ends a watch.
import { createHash } from "node:crypto";
import type { AccessRequest, AuditList, Session } from "@fairlead/contract";
import { createSecret } from "@fairlead/kernel";
import type { Link } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, dial, enroll, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { clientId, startProvider, type TestProvider } from "../oidc/provider.fixture.ts";

let provider: TestProvider;
let harness: TestHub;
let link: Link;
let watches = 0;
let alice: Headers;
let bob: Headers;
const loopback = "http://127.0.0.1:45454/callback";
const watchPath = "/k8s/clusters/east/api/v1/pods?watch=1";

beforeAll(async () => {
  provider = await startProvider();
  const { issuer, secretFile, caFile } = provider;
  const oidcScopes = ["openid", "email", "groups"];
  const oidc = { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecretFile: secretFile, oidcCaFile: caFile };
  harness = await openTestHub({ config: { ...oidc, oidcScopes } });
  provider.serve({ callbackUrl: `${harness.hub.peopleUrl}/api/v1/auth/oidc/callback` });
  for (const [name, groups] of [
    ["alice", ["dev"]],
    ["bob", ["ops"]],
  ] as const)
    provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, groups: [...groups] });
  [alice, bob] = [await signIn("alice"), await signIn("bob")];
  const subject = { kind: "group", name: "ops" };
  await ask("POST", "/api/v1/bindings", harness.admin, { subject, role: "admin", clusters: { all: true } });
  link = await dial(await enroll("east", harness), harness, (stream) => {
    stream.respond({ status: 200, headers: [] });
    stream.write(Buffer.from('{"type":"ADDED"}\n'));
    watches += 1;
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  await sayHello(link, "east");
}, 60_000);
afterAll(async () => {
  link.close("done");
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

it("a role that another person granted ends by itself, with the streams that it gave, and on record", async () => {
  expect((await ask("GET", watchPath, alice)).status).toBe(403);
  const kept = startWatch(bob);
  await expect.poll(() => watches, { timeout: 60_000 }).toBe(1);
  const { request, watch } = await watchByRequest();
  await expect(watch.ended).rejects.toThrow();
  expect(kept.isOver()).toBe(false);
  expect((await ask("GET", watchPath, alice)).status).toBe(403);

  const read = async (): Promise<AuditList["items"]> => {
    const { items } = (await ask("GET", "/api/v1/audit?limit=1000", bob)).json as AuditList;
    return items.filter(({ name, phase }) => phase === "end" && (name === request.id || name === bindingOf(request)));
  };
  await expect.poll(async () => (await read()).map(({ verb }) => verb), { timeout: 60_000 }).toContain("expire");
  const records = await read();
  expect(records).toContainEqual(
    expect.objectContaining({ resource: "access", subresource: "requests", who: named("alice@example.com") }),
  );
  expect(records).toContainEqual(
    expect.objectContaining({ subresource: "requests/approve", name: request.id, who: named("bob@example.com") }),
  );
  expect(records).toContainEqual(
    expect.objectContaining({
      verb: "expire",
      resource: "bindings",
      reason: expect.stringContaining("role viewer of user alice@example.com"),
    }),
  );
  await ask("POST", "/api/v1/users/bob@example.com/sign-out", harness.admin);
  await expect(kept.ended).rejects.toThrow();
}, 180_000);

/** However slow the machine is, one of these times is long enough for the watch to begin. */
async function watchByRequest() {
  for (const ttlMs of [3_000, 15_000, 60_000]) {
    const clusters = { names: ["east"] };
    const body = { role: "viewer", clusters, ttlMs, reason: "INC-7" };
    const asked = (await ask("POST", "/api/v1/access/requests", alice, body)).json as AccessRequest;
    const path = `/api/v1/access/requests/${asked.id}`;
    expect(((await ask("POST", `${path}/approve`, alice, {})).json as { code: string }).code).toBe("ACCESS_DENIED");
    const request = (await ask("POST", `${path}/approve`, bob, {})).json as AccessRequest;
    const watch = startWatch(alice);
    const begun = expect.poll(() => watches, { timeout: 60_000 }).toBe(2);
    const refused = watch.ended.then(({ status }) => status);
    if ((await Promise.race([begun, refused.catch(() => undefined)])) !== 403) return { request, watch };
    await begun.catch(() => undefined);
  }
  throw new Error("no watch began while the role was granted");
}

interface Headers {
  readonly authorization: string;
}

function startWatch(headers: Headers): { readonly ended: Promise<TestAnswer>; isOver(): boolean } {
  let isOver = false;
  const ended = ask("GET", watchPath, headers).finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  return { ended, isOver: () => isOver };
}

function bindingOf({ state }: AccessRequest): string | undefined {
  return state.kind === "approved" ? state.binding : undefined;
}

function named(name: string): unknown {
  return expect.objectContaining({ kind: "user", name });
}

async function signIn(login: string): Promise<Headers> {
  const codeVerifier = createSecret();
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const query = new URLSearchParams({ redirect_uri: loopback, state: "my-state", code_challenge: challenge });
  const url = `${harness.hub.peopleUrl}/api/v1/auth/oidc/start?${query.toString()}`;
  const code = new URL(await provider.browse(url, { login, until: loopback })).searchParams.get("code");
  const { json } = await call(harness.hub.peopleUrl, "/api/v1/auth/oidc/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, codeVerifier }),
  });
  return { authorization: `Bearer ${(json as Session).accessToken}` };
}

function ask(method: string, path: string, headers: Headers, body?: object): Promise<TestAnswer> {
  return call(harness.hub.peopleUrl, path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
