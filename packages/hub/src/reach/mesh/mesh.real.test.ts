// A hub that knows its agents by what a mesh says of them, and by nothing else. The tests themselves play the mesh.
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  attachLink,
  createLinkTransport,
  enrollPath,
  IdentityService,
  linkChallengePath,
  linkPath,
  linkRolesHeader,
  linkSocketOptions,
  linkSubprotocol,
} from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  answer,
  call,
  enroll,
  openTestHub,
  readRefusal,
  sayHello,
  type TestHub,
  type TestIdentity,
} from "../../hub.fixture.ts";

const xfcc = "x-forwarded-client-cert";
const pattern = "spiffe://mesh\\.example/ns/(?<cluster>[a-z0-9-]+)/sa/fairlead-agent";
const flags = ["--mesh-identity-header", "X-Forwarded-Client-Cert", "--mesh-identity-pattern", pattern];
let hub: TestHub;
/** A hub whose mesh is elsewhere. */
let far: TestHub;
/** A hub that knows agents by certificates. */
let plain: TestHub;

beforeAll(async () => {
  [hub, far, plain] = await Promise.all([
    openTestHub({ args: [...flags, "--mesh-identity-peers", "127.0.0.1", "--mesh-identity-plaintext"] }),
    openTestHub({ args: [...flags, "--mesh-identity-peers", "10.0.0.0/8,fd00::/8", "--trusted-proxies", "127.0.0.1"] }),
    openTestHub(),
  ]);
  for (const on of [hub, far]) await addCluster("east", ["proxy"], on);
}, 60_000);
afterAll(() => Promise.all([hub, far, plain].map((harness) => harness[Symbol.asyncDispose]())));

test("an agent that the mesh vouches for has a link, serves requests, and is cut off and kept out by a revocation", async () => {
  await addCluster("north", ["proxy"]);
  const socket = dial(headersFor("north"));
  await once(socket, "open");
  const link = attachLink({ socket, accept: answer("hello") });
  expect(await sayHello(link, "")).toMatchObject({ cluster: "north" });
  expect(await readPods("north")).toMatchObject({ status: 200, text: "hello" });
  expect(await api("GET", "/north")).toMatchObject({ json: { state: "connected", identities: [] } });

  await api("POST", "/north/revoke", {});
  await link.closed;
  expect(await readPods("north")).toMatchObject({ status: 503 });
  expect(await refusalOf(headersFor("north"))).toMatchObject({
    status: 403,
    json: { code: "LINK_MESH_CLUSTER_REVOKED" },
  });

  expect(await api("POST", "/north/tokens", {})).toMatchObject({ status: 201 });
  const again = dial(headersFor("north"));
  await once(again, "open");
  again.terminate();
});

test.each<[string, Record<string, string | string[]>, string]>([
  ["no header", {}, "LINK_MESH_HEADER_MISSING"],
  ["an empty one", { [xfcc]: "" }, "LINK_MESH_HEADER_MISSING"],
  ["two headers", { [xfcc]: [uri("east"), uri("east")] }, "LINK_MESH_HEADER_DOUBLED"],
  ["two identities in one", { [xfcc]: `${uri("east")};${uri("west")}` }, "LINK_MESH_HEADER_DOUBLED"],
  [
    "a spoofed one before the mesh's own",
    { [xfcc]: `${uri("east")},By=hub;${uri("stranger")}` },
    "LINK_MESH_CLUSTER_UNKNOWN",
  ],
  [
    "one that hides the mesh's own behind a quote",
    { [xfcc]: `${uri("east")};Subject=",By=hub;${uri("stranger")}` },
    "LINK_MESH_HEADER_INVALID",
  ],
  ["one that is too long", { [xfcc]: `Hash=${"a".repeat(6_200)};${uri("east")}` }, "LINK_MESH_HEADER_INVALID"],
  [
    "an identity that is too long",
    { [xfcc]: `URI=spiffe://mesh.example/ns/${"a".repeat(1_100)}/sa/fairlead-agent` },
    "LINK_MESH_HEADER_INVALID",
  ],
  ["no identity in it", { [xfcc]: "By=hub;Hash=aa" }, "LINK_MESH_HEADER_INVALID"],
  ["an identity of something else", { [xfcc]: `${uri("east")}-2` }, "LINK_MESH_IDENTITY_UNKNOWN"],
  [
    "an identity around the right one",
    { [xfcc]: "URI=spiffe://evil/spiffe://mesh.example/ns/east/sa/fairlead-agent" },
    "LINK_MESH_IDENTITY_UNKNOWN",
  ],
  ["a cluster that isn't here", { [xfcc]: uri("nowhere") }, "LINK_MESH_CLUSTER_UNKNOWN"],
  [
    "a role that the cluster isn't for",
    { [xfcc]: uri("east"), [linkRolesHeader]: "proxy,observe" },
    "LINK_MESH_ROLE_NOT_GRANTED",
  ],
  ["a role that isn't one", { [xfcc]: uri("east"), [linkRolesHeader]: "king" }, "LINK_MESH_ROLES_MISSING"],
  ["no role", { [xfcc]: uri("east"), [linkRolesHeader]: "" }, "LINK_MESH_ROLES_MISSING"],
  ["another header with it", { "x-client-cert": uri("east") }, "LINK_MESH_HEADER_MISSING"],
])("%s is refused", async (_what, headers, code) => {
  expect(await refusalOf({ [linkRolesHeader]: "proxy", ...headers })).toMatchObject({ json: { code } });
});

test("whoever isn't the mesh is refused with any header, whatever X-Forwarded-For says, and is on record", async () => {
  const refusal = await refusalOf({ ...headersFor("east"), "x-forwarded-for": "10.1.2.3" }, far);
  expect(refusal).toMatchObject({ status: 403, json: { code: "LINK_MESH_PEER_UNTRUSTED" } });
  const code = "LINK_MESH_PEER_UNTRUSTED";
  const metrics = await call(far.hub.peopleUrl, "/metrics", { headers: far.admin });
  expect(metrics.text).toMatch(new RegExp(`\\{[^}]*code="${code}"[^}]*\\} 1`));
  const findRecord = async () => {
    const { json } = await call(far.hub.peopleUrl, "/api/v1/audit?limit=100", { headers: far.admin });
    return (json as { items: { code?: string }[] }).items.find((item) => item.code === code);
  };
  await waitUntil(async () => (await findRecord()) !== undefined, { timeoutMs: 30_000 });
  expect(await findRecord()).toMatchObject({ from: "10.1.2.3", status: 403, path: linkPath });
});

test("a certificate is no way in, nor is a challenge or a join token", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-mesh-"));
  const config = { inMemory: false, dataDir: folder.path };
  await using before = await openTestHub({ config });
  const certified = await enroll("east", before);
  await before[Symbol.asyncDispose]();
  // The same hub with the same authority, and TLS at the agents' listener.
  await using after = await openTestHub({ args: [...flags, "--mesh-identity-peers", "127.0.0.0/8"], config });
  await addCluster("east", ["proxy"], after);
  const refusal = await refusalOf({ [linkRolesHeader]: "proxy" }, after, certified);
  expect(refusal).toMatchObject({ status: 401, json: { code: "LINK_MESH_HEADER_MISSING" } });
  const socket = dial(headersFor("east"), after);
  await once(socket, "open");
  socket.terminate();

  expect((await call(hub.hub.agentUrl, linkChallengePath)).status).toBe(404);
  const { csrDer } = await createCsr({});
  const body = JSON.stringify({ token: "flj_x", csrDer: Buffer.from(csrDer).toString("base64"), roles: ["proxy"] });
  const enrollment = await call(hub.hub.agentUrl, enrollPath, { method: "POST", body });
  expect(enrollment).toMatchObject({ status: 403, json: { code: "IDENTITY_BY_MESH" } });
  expect((await api("POST", "/east/tokens", {})).json).toMatchObject({
    command: `fairlead-agent --hub ${hub.hub.agentUrl} --roles proxy --identity mesh`,
  });
  expect((await api("POST", "/east/tokens", {})).json).not.toHaveProperty("token");
});

test("an agent of the mesh gets no certificate over its link", async () => {
  const socket = dial(headersFor("east"));
  await once(socket, "open");
  const link = attachLink({ socket, accept: answer("") });
  await sayHello(link, "");
  const { csrDer } = await createCsr({});
  const renewal = createClient(IdentityService, createLinkTransport({ link })).renew({ csrDer });
  await expect(renewal).rejects.toThrow(/certificates/);
  link.close("done");
});

test("a hub that wasn't told of a mesh takes no such header", async () => {
  const refusal = await refusalOf(headersFor("east"), plain);
  expect(refusal).toMatchObject({ status: 401, json: { code: "LINK_CERTIFICATE_REQUIRED" } });
});

function uri(cluster: string): string {
  return `URI=spiffe://mesh.example/ns/${cluster}/sa/fairlead-agent`;
}

function headersFor(cluster: string): Record<string, string> {
  return {
    [xfcc]: `By=spiffe://mesh.example/ns/hub/sa/hub;Hash=ab;Subject="";${uri(cluster)}`,
    [linkRolesHeader]: "proxy",
  };
}

function dial(headers: Record<string, string | string[]>, on: TestHub = hub, shown: TestIdentity = {}): WebSocket {
  const url = on.hub.agentUrl.replace(/^http/, "ws") + linkPath;
  // Its types know no header of several lines, which Node sends.
  const lines = headers as Record<string, string>;
  return new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ...shown, headers: lines, ca: on.hub.caPem });
}

function refusalOf(
  headers: Record<string, string | string[]>,
  on?: TestHub,
  shown?: TestIdentity,
): ReturnType<typeof readRefusal> {
  return readRefusal(dial(headers, on, shown));
}

function addCluster(name: string, roles: readonly string[], on: TestHub = hub): ReturnType<typeof call> {
  return api("POST", "", { name, roles }, on);
}

function api(method: string, path: string, body?: unknown, on: TestHub = hub): ReturnType<typeof call> {
  const headers = { ...on.admin, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return call(on.hub.peopleUrl, `/api/v1/clusters${path}`, { method, headers, ...text });
}

function readPods(cluster: string): ReturnType<typeof call> {
  return call(hub.hub.peopleUrl, `/k8s/clusters/${cluster}/api/v1/pods`, { headers: hub.admin });
}
