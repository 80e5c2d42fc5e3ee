// A real API server hands requests for a group to a hostile server behind an APIService. RBAC lets the caller do
// everything, so that only the agent's policy stands between a hub and what that server offers.
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { waitUntil } from "@fairlead/kernel/testing";
import { loadKubeconfig } from "@fairlead/kube";
import { applyObjects, createAuthority, issueCertificate, type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type JudgedRequest, judge, openPolicyRules } from "../policy/index.ts";
import { call, headerOf, listen, openWire, type Wire } from "./wire.fixture.ts";

const group = "things.example.com";
const version = `/apis/${group}/v1`;
const things = `${version}/namespaces/team-a/things`;
const own = "fairlead";
const undo = new AsyncDisposableStack();
let cluster: LeasedCluster;
let open: Wire;
/** The requests that reached the server behind the APIService. */
let reached: IncomingMessage[] = [];

beforeAll(async () => {
  cluster = undo.use(await leaseCluster({ name: "aggregated" }));
  const port = await startHostileServer();
  await applyObjects(cluster.api, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: own } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "canary", namespace: own }, stringData: { canary } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "hostile", namespace: "default" },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "hostile", port },
      },
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "alice" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
    },
  ]);
  open = undo.use(await wireWith({}));
  const isServed = async () => (await send(open, `GET ${things}`)).status === 200;
  await waitUntil(isServed, { timeoutMs: 60_000 });
}, 300_000);
afterAll(() => undo.disposeAsync());
beforeEach(() => {
  reached = [];
});

test("the server behind an APIService learns who asks, and gets no credential of the agent's", async () => {
  expect((await send(open, `GET ${things}`)).status).toBe(200);
  const { headers } = sole(reached);
  expect(headers["x-remote-user"]).toBe("alice");
  const names = Object.keys(headers).filter((name) => /^(?:authorization|impersonate-.*)$/.test(name));
  expect(names).toEqual([]);
});

test.each<[string, object, readonly string[], readonly string[]]>([
  [
    "readOnly",
    { readOnly: true },
    [`GET ${things}`, `GET ${things}/x`, `GET ${things}?watch=1`, `GET ${things}/x/status`, `GET ${version}`],
    [
      `POST ${things}`,
      `PUT ${things}/x`,
      `PATCH ${things}/x`,
      `DELETE ${things}/x`,
      `DELETE ${things}`,
      `POST ${version}`,
      `POST ${things}/x/run`,
      `GET ${things}/x/exec`,
      `GET ${things}/x/proxy/y`,
      `GET ${version}/proxy/namespaces/team-a/things/x`,
    ],
  ],
  [
    "namespaces",
    { namespaces: { allow: ["team-*"], clusterWide: false } },
    [`GET ${things}`, `POST ${things}/x/run`],
    [
      `GET ${version}/namespaces/kube-system/things`,
      `GET ${version}/things`,
      `GET ${version}/things?namespace=team-a`,
      `GET ${version}/watch/namespaces/kube-system/things/x`,
      `GET ${version}/team-a/things`,
    ],
  ],
  [
    "verbs",
    { verbs: { allow: ["get", "list"] } },
    [`GET ${things}`, `GET ${things}/x`],
    [`GET ${things}?watch=1`, `POST ${things}`, `GET ${version}/watch/namespaces/team-a/things`, `FETCH ${things}/x`],
  ],
  [
    "resources",
    { resources: { deny: [`${group}/things`] } },
    [`GET ${version}`, `GET ${version}/namespaces/team-a/others`],
    [`GET ${things}`, `GET ${things}/x/status`, `GET ${version}/things/x/run`],
  ],
  [
    "own namespace",
    {},
    [`GET ${version}/namespaces/${own}/things`],
    [
      `POST ${version}/namespaces/${own}/things`,
      `DELETE ${version}/namespaces/${own}/things/x`,
      `DELETE ${version}/things`,
      `GET ${version}/namespaces/${own}/things/x/proxy/y`,
      `GET ${version}/namespaces/${own}/things/x/exec`,
    ],
  ],
])("the policy's %s judge paths of an APIService as those of other resources", async (_, rules, passing, denied) => {
  await using wire = await wireWith(rules);
  for (const request of passing) {
    reached = [];
    expect((await send(wire, request)).status, request).toBe(200);
    expect(reached.length, request).toBe(1);
  }
  reached = [];
  for (const request of denied) {
    const answer = await send(wire, request);
    expect({ request, status: answer.status, denied: /POLICY_DENIED/.test(answer.text) }).toEqual({
      request,
      status: 403,
      denied: true,
    });
  }
  expect(reached).toEqual([]);
});

test.each([`${things}/x`, `${things}/x/console`, `${things}/x/log`, things, `${version}/namespaces/team-a`, version])(
  "a policy of reading lets nobody make a byte pipe of %s",
  async (path) => {
    await using wire = await wireWith({ readOnly: true });
    const answer = await upgrade(wire, path);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain("POLICY_DENIED");
    expect(reached).toEqual([]);
  },
);

test("a byte pipe that the policy allows ends at the server behind the APIService", async () => {
  const { stream, head, chunks } = call(open.hub, { path: `${things}/x/console`, ...asUpgrade }, "open");
  expect((await head).status).toBe(101);
  stream.write(Buffer.from(`GET /api/v1/namespaces/${own}/secrets HTTP/1.1\r\nHost: x\r\n\r\n`));
  await waitUntil(() => Buffer.concat(chunks).includes("\r\n\r\n"), { timeoutMs: 60_000 });
  expect(Buffer.concat(chunks).toString()).toMatch(/^echo: GET \/api\/v1/);
  stream.end();
});

test.each(["GET", "POST", "DELETE"])("nobody follows a redirect that it answers to %s", async (method) => {
  for (const status of [301, 302, 307, 308]) {
    for (const target of redirectTargets()) {
      reached = [];
      const query = new URLSearchParams({ status: String(status), location: target });
      const answer = await send(open, `${method} ${things}/x?${query}`);
      expect(reached.length, `${status} ${target}`).toBe(1);
      expect([status, 502]).toContain(answer.status);
      expect(answer.text).not.toContain(canary);
      expect(answer.text).not.toContain(base64);
    }
  }
});

test("nobody follows a redirect that it answers to an upgrade", async () => {
  for (const target of redirectTargets()) {
    reached = [];
    const answer = await upgrade(
      open,
      `${things}/x/console?${new URLSearchParams({ status: "302", location: target })}`,
    );
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.text).not.toContain(base64);
    expect(reached.length).toBe(1);
  }
});

test("a 101 that nobody asked for makes no byte pipe, and the next request is answered as itself", async () => {
  const answer = await send(open, `GET ${things}/x?status=101`).catch((error: Error) => ({
    status: 0,
    text: error.message,
  }));
  expect(answer.status).not.toBe(101);
  expect(answer.text).not.toContain("smuggled");
  const next = await send(open, "GET /api/v1/namespaces/default");
  expect(next).toMatchObject({ status: 200, text: expect.stringContaining('"default"') });
});

test("headers that it answers change nothing about the connection or the next request", async () => {
  const answer = await call(open.hub, { path: `${things}/x?headers=1` }).answer;
  expect(answer.head.status).toBe(200);
  for (const name of ["connection", "upgrade", "keep-alive", "proxy-connection", "transfer-encoding"]) {
    expect(headerOf(answer.head.headers, name), name).toBeUndefined();
  }
  await send(open, `GET ${things}`);
  expect(reached.at(-1)?.headers).toMatchObject({ "x-remote-user": "alice" });
  expect(reached.at(-1)?.headers["cookie"]).toBeUndefined();
});

async function wireWith(rules: object): Promise<Wire> {
  const policy = {
    judge: (request: JudgedRequest) => judge({ ...openPolicyRules, ...rules }, request),
    onChanged() {},
  };
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  return openWire({ access, policy, ownNamespace: own });
}

async function send(wire: Wire, request: string): Promise<{ status: number; text: string }> {
  const [method = "", path = ""] = request.split(" ");
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  const headers = hasBody ? ["Content-Type", "application/json", "Content-Length", "2"] : [];
  const { head, body } = await call(
    wire.hub,
    { method, path, headers, identity },
    hasBody ? Buffer.from("{}") : undefined,
  ).answer;
  return { status: head.status, text: body.toString() };
}

async function upgrade(wire: Wire, path: string): Promise<{ status: number; text: string }> {
  const { stream, head, answer } = call(wire.hub, { path, ...asUpgrade }, "open");
  const { status } = await head;
  stream.end();
  const { body } = await answer;
  return { status, text: body.toString() };
}

function redirectTargets(): string[] {
  const secret = `/api/v1/namespaces/${own}/secrets/canary`;
  return [secret, `${cluster.url}${secret}`, `//127.0.0.1:${new URL(cluster.url).port}${secret}`];
}

function sole<T>(all: readonly T[]): T {
  const [first, ...rest] = all;
  if (first === undefined || rest.length > 0) throw new Error(`${all.length} requests in place of one`);
  return first;
}

/** Answers as the query of a request says, and switches protocols whenever it is asked to. */
async function startHostileServer(): Promise<number> {
  const authority = await createAuthority("hostile");
  const pair = await issueCertificate(authority, { commonName: "hostile", usage: "server", dnsNames: ["localhost"] });
  const server = createServer({ key: pair.keyPem, cert: pair.certPem });
  const sockets = new Set<Duplex>();
  server.on("secureConnection", (socket) => sockets.add(socket.on("error", () => undefined)));
  server.on("request", (request: IncomingMessage, response) => {
    // The API server's own questions, for what the group has.
    const isOwn = request.headers["x-remote-user"]?.toString().startsWith("system:") !== false;
    if (!isOwn) reached.push(request);
    request.resume();
    const query = new URL(request.url ?? "", "https://x").searchParams;
    const status = Number(query.get("status") ?? 200);
    if (status === 101) {
      request.socket.end(`${switching}HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled`);
      return;
    }
    const location = query.get("location");
    if (location !== null) response.setHeader("Location", location);
    if (query.has("headers"))
      for (const [name, value] of Object.entries(hostileHeaders)) response.setHeader(name, value);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(discovery));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    reached.push(request);
    const location = new URL(request.url ?? "", "https://x").searchParams.get("location");
    if (location !== null) {
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    socket.write(switching);
    socket.on("data", (chunk) => socket.write(`echo: ${chunk}`));
  });
  undo.defer(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await listen(server as Server);
  return (server.address() as AddressInfo).port;
}

const identity = { user: "alice", groups: [] };
const asUpgrade = {
  method: "GET",
  identity,
  upgrade: true,
  headers: [
    "Upgrade",
    "websocket",
    "Connection",
    "Upgrade",
    "Sec-WebSocket-Version",
    "13",
    "Sec-WebSocket-Key",
    "eA==",
  ],
};
const canary = "a-word-of-a-secret";
const base64 = Buffer.from(canary).toString("base64");
const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const hostileHeaders = {
  Connection: "X-Remote-User, Impersonate-User",
  Upgrade: "websocket",
  "Keep-Alive": "timeout=1000",
  "Proxy-Connection": "keep-alive",
  "Set-Cookie": "a=b",
  Authorization: "Bearer hostile",
  "Impersonate-User": "system:admin",
  "X-Remote-User": "system:admin",
  "X-Remote-Group": "system:masters",
};
const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const discovery = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [{ name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs }],
};
